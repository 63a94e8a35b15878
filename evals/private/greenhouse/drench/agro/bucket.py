import math
from dataclasses import dataclass, field

from ..units import clamp
from . import retention as rt

@dataclass
class Slab:
    sub: object
    depth_mm: float
    layers: list
    k_out: float = 0.55
    bypass: float = 0.08
    drained: float = 0.0
    used: float = 0.0

    @classmethod
    def at(cls, sub, depth_mm, th, n=3):
        return cls(sub, depth_mm, [clamp(th, sub.th_r, sub.th_s)] * n)

    @property
    def dz(self):
        return self.depth_mm / len(self.layers)

    @property
    def th(self):
        return sum(self.layers) / len(self.layers)

    def store_mm(self):
        return self.th * self.depth_mm

    def copy(self):
        return Slab(self.sub, self.depth_mm, list(self.layers), self.k_out, self.bypass, self.drained, self.used)

    def feed(self, mm):
        lost = mm * self.bypass
        mm -= lost
        out = lost
        for i, th in enumerate(self.layers):
            room = max(0.0, (self.sub.th_s - th) * self.dz)
            take = min(room, mm)
            self.layers[i] = th + take / self.dz
            mm -= take
            if mm <= 1e-12:
                break
        out += mm
        self.drained += out
        return out

    def seep(self, hours):
        n = len(self.layers)
        out = 0.0
        for i in range(n):
            h_eq = (n - i - 0.5) * self.dz / 10.0
            cc = rt.theta(self.sub, h_eq)
            over = (self.layers[i] - cc) * self.dz
            if over <= 0:
                continue
            go = over * (1.0 - math.exp(-self.k_out * hours * 6.0))
            go = min(go, rt.k_unsat(self.sub, self.layers[i]) * hours)
            if i + 1 < n:
                room = max(0.0, (self.sub.th_s - self.layers[i + 1]) * self.dz)
                go = min(go, room)
                self.layers[i + 1] += go / self.dz
            else:
                out += go
            self.layers[i] -= go / self.dz
        self.drained += out
        return out

    def drink(self, mm):
        wp = rt.wilt(self.sub)
        have = [max(0.0, (x - wp) * self.dz) for x in self.layers]
        wts = [h * (1.0 - 0.18 * i) for i, h in enumerate(have)]
        tot = sum(wts)
        if tot <= 0:
            return 0.0
        ks = rt.stress(self.sub, self.th, self.depth_mm)
        want = mm * ks
        got = 0.0
        for i, w in enumerate(wts):
            t = min(have[i], want * w / tot)
            self.layers[i] -= t / self.dz
            got += t
        self.used += got
        return got

@dataclass
class Trace:
    t: list = field(default_factory=list)
    th: list = field(default_factory=list)
    drain: list = field(default_factory=list)
    et: list = field(default_factory=list)

    def add(self, t, th, d, e):
        self.t.append(t)
        self.th.append(th)
        self.drain.append(d)
        self.et.append(e)

    def drain_share(self, fed):
        return sum(self.drain) / fed if fed > 0 else 0.0

def roll(slab, et_rows, shots_mm, t0, t1, step=300):
    s = slab.copy()
    tr = Trace()
    shots = sorted(shots_mm)
    k = 0
    j = 0
    t = t0
    while t < t1:
        nxt = min(t + step, t1)
        hours = (nxt - t) / 3600.0
        d = 0.0
        while k < len(shots) and shots[k][0] < nxt:
            if shots[k][0] >= t:
                d += s.feed(shots[k][1])
            k += 1
        while j + 1 < len(et_rows) and et_rows[j + 1][0] <= t:
            j += 1
        rate = et_rows[j][1] if et_rows else 0.0
        e = s.drink(rate * hours)
        d += s.seep(hours)
        tr.add(nxt, s.th, d, e)
        t = nxt
    return s, tr

@dataclass
class KcNudge:
    x: float = 1.0
    p: float = 0.04
    q: float = 0.0008
    r: float = 0.015

    def learn(self, et_model, et_seen):
        self.p += self.q
        if et_model < 0.15:
            return self.x
        z = clamp(et_seen / et_model, 0.3, 2.5)
        innov = z - self.x
        s = self.p + self.r * (1.0 + 0.5 / et_model)
        if innov * innov > 9.0 * s:
            self.p = min(0.2, self.p * 1.5)
            return self.x
        k = self.p / s
        self.x = clamp(self.x + k * innov, 0.5, 1.6)
        self.p *= 1.0 - k
        return self.x
