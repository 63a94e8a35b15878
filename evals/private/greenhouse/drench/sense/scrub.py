import math
from collections import defaultdict, deque

from ..units import clamp, median

Q_SPIKE = 0x100
Q_STUCK = 0x200
Q_RANGE = 0x400
Q_JUMP = 0x800
Q_BAD = Q_SPIKE | Q_STUCK | Q_RANGE

LIMITS = {
    "vwc": (0.0, 0.98), "ec": (0.0, 15.0), "temp": (-5.0, 55.0), "rh": (1.0, 100.0),
    "par": (0.0, 2600.0), "flow": (0.0, 900.0), "wt": (0.0, 60000.0), "press": (0.0, 1200.0),
}
MAX_RATE = {"vwc": 0.25, "ec": 4.0, "temp": 15.0, "rh": 60.0}
STUCK_S = {"vwc": 6 * 3600, "ec": 12 * 3600, "temp": 3 * 3600, "rh": 3 * 3600}

def hampel(vals, half=3, k=3.5, floor=0.004):
    out = []
    n = len(vals)
    for i in range(n):
        win = vals[max(0, i - half):min(n, i + half + 1)]
        m = median(win)
        mad = 1.4826 * median([abs(w - m) for w in win])
        out.append(abs(vals[i] - m) > k * max(mad, floor))
    return out

def mark_spikes(obs, half=3, k=3.5):
    groups = defaultdict(list)
    for i, o in enumerate(obs):
        groups[(o.probe, o.kind)].append(i)
    out = list(obs)
    for (_, kind), idx in groups.items():
        idx.sort(key=lambda i: obs[i].t)
        lo, hi = LIMITS.get(kind, (0, 1))
        floor = 0.004 * (hi - lo)
        for i, bad in zip(idx, hampel([obs[i].v for i in idx], half, k, floor)):
            if bad:
                out[i] = out[i].flagged(Q_SPIKE)
    return out

class Gate:
    def __init__(self):
        self.last = {}
        self.since = {}
        self.hist = defaultdict(lambda: deque(maxlen=48))

    def check(self, o):
        lo, hi = LIMITS.get(o.kind, (-math.inf, math.inf))
        if not lo <= o.v <= hi or math.isnan(o.v):
            return o.flagged(Q_RANGE)
        key = (o.probe, o.kind)
        prev = self.last.get(key)
        if prev is not None and o.t > prev.t:
            r = MAX_RATE.get(o.kind)
            hours = (o.t - prev.t) / 3600.0
            if r is not None and abs(o.v - prev.v) > r * max(hours, 0.05) + 0.01 * (hi - lo):
                o = o.flagged(Q_JUMP)
            if o.v == prev.v:
                t0 = self.since.setdefault(key, prev.t)
                lim = STUCK_S.get(o.kind)
                if lim and o.t - t0 >= lim:
                    o = o.flagged(Q_STUCK)
            else:
                self.since.pop(key, None)
        self.last[key] = o
        self.hist[key].append(bool(o.q & (Q_BAD | Q_JUMP)))
        return o

    def trust(self, probe, kind):
        h = self.hist.get((probe, kind))
        if not h:
            return 0.5
        w = 0.0
        tot = 0.0
        for i, bad in enumerate(h):
            g = 0.95 ** (len(h) - 1 - i)
            tot += g
            if not bad:
                w += g
        return clamp(w / tot, 0.0, 1.0)
