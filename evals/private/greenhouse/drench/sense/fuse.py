import math
from dataclasses import dataclass

from ..units import median, wmedian
from .scrub import Q_BAD, Q_JUMP

@dataclass
class BayView:
    bay: str
    t: int
    vwc: float
    ec: float
    temp: float
    dvwc: float
    n: int
    spread: float
    age: int

    def usable(self, max_age=5400):
        return self.n > 0 and self.age <= max_age and not math.isnan(self.vwc)

def weight_of(o, now, base, trust, half_s=1800.0):
    if o.q & Q_BAD:
        return 0.0
    w = base * trust
    w *= 0.5 ** (max(0, now - o.t) / half_s)
    if o.q & Q_JUMP:
        w *= 0.3
    return w

def slope_h(pts):
    n = len(pts)
    if n < 3:
        return 0.0
    t0 = pts[0][0]
    slopes = []
    for i in range(n):
        for j in range(i + 1, n):
            dt = pts[j][0] - pts[i][0]
            if dt >= 300:
                slopes.append((pts[j][1] - pts[i][1]) / dt * 3600.0)
    return median(slopes) if slopes else (pts[-1][1] - pts[0][1]) / max(1, pts[-1][0] - t0) * 3600.0

def look(bay, obs, probes, gate, now, win_s=7200):
    mine = [o for o in obs if probes.get(o.probe, {}).get("bay") == bay and now - win_s <= o.t <= now]
    newest = {}
    for o in mine:
        k = (o.probe, o.kind)
        if k not in newest or o.t > newest[k].t:
            newest[k] = o

    def blend(kind):
        prs = []
        for (p, k), o in newest.items():
            if k == kind:
                prs.append((o.v, weight_of(o, now, probes[p]["w"], gate.trust(p, k))))
        return wmedian(prs), [v for v, w in prs if w > 0]

    vwc, vs = blend("vwc")
    ec, _ = blend("ec")
    temp, _ = blend("temp")
    slopes = []
    for p in {o.probe for o in mine if o.kind == "vwc"}:
        pts = sorted((o.t, o.v) for o in mine if o.probe == p and o.kind == "vwc" and not o.q & Q_BAD)
        if len(pts) >= 3:
            slopes.append(slope_h(pts[-12:]))
    ages = [now - o.t for (p, k), o in newest.items() if k == "vwc" and not o.q & Q_BAD]
    return BayView(
        bay, now, vwc, ec, temp, median(slopes) if slopes else 0.0, len(vs),
        (max(vs) - min(vs)) if vs else math.nan, min(ages) if ages else 10 ** 9)

def odd_one_out(views, tol=0.08):
    if len(views) < 3:
        return None
    m = median(list(views.values()))
    rest = sorted(((abs(v - m), p) for p, v in views.items()), reverse=True)
    worst, p = rest[0]
    second = rest[1][0]
    if worst > tol and worst > 2.5 * max(second, 0.01):
        return p
    return None
