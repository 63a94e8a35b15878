import math
from dataclasses import dataclass, field

from ..model import BadInput, Obs
from ..units import clamp

EPS_WATER_20 = 80.3
Q_CLIPPED = 0x10
Q_NOCAL = 0x20

def topp(eps):
    return -5.3e-2 + 2.92e-2 * eps - 5.5e-4 * eps ** 2 + 4.3e-6 * eps ** 3

def counts_to_eps(raw, dry=1350.0, wet=3100.0, eps_dry=1.0, eps_wet=EPS_WATER_20):
    if wet == dry:
        raise BadInput("probe end points coincide")
    f = (raw - dry) / (wet - dry)
    root = math.sqrt(eps_dry) + clamp(f, -0.05, 1.05) * (math.sqrt(eps_wet) - math.sqrt(eps_dry))
    return root * root

def ec25(ec, t_c):
    k = 0.0191
    return ec / (1.0 + k * (t_c - 25.0))

@dataclass
class Curve:
    coef: list
    lo: float = 0.0
    hi: float = 0.95
    t_ref: float = 20.0
    t_gain: float = 0.0
    made: int = 0
    rmse: float = 0.0

    def at(self, x, t_c=None):
        v = 0.0
        for c in reversed(self.coef):
            v = v * x + c
        if t_c is not None:
            v -= self.t_gain * (t_c - self.t_ref)
        return v

def _solve(a, b):
    n = len(b)
    m = [row[:] + [b[i]] for i, row in enumerate(a)]
    for i in range(n):
        piv = max(range(i, n), key=lambda r: abs(m[r][i]))
        if abs(m[piv][i]) < 1e-14:
            raise BadInput("sample points do not determine the curve")
        m[i], m[piv] = m[piv], m[i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            for c in range(i, n + 1):
                m[r][c] -= f * m[i][c]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (m[i][n] - sum(m[i][c] * x[c] for c in range(i + 1, n))) / m[i][i]
    return x

def fit(pts, deg=2, made=0):
    if len(pts) <= deg:
        raise BadInput("too few samples", have=len(pts), need=deg + 1)
    k = max(abs(x) for x, _ in pts) or 1.0
    n = deg + 1
    a = [[sum((x / k) ** (i + j) for x, _ in pts) for j in range(n)] for i in range(n)]
    b = [sum(y * (x / k) ** i for x, y in pts) for i in range(n)]
    cs = [c / k ** i for i, c in enumerate(_solve(a, b))]
    cv = Curve(cs, made=made)
    cv.rmse = math.sqrt(sum((cv.at(x) - y) ** 2 for x, y in pts) / len(pts))
    return cv

def fit_gravimetric(rows, pot_l, deg=1, made=0):
    pts = []
    for raw, gross_g, tare_g in rows:
        th = (gross_g - tare_g) / 1000.0 / pot_l
        if not -0.02 <= th <= 1.0:
            raise BadInput("weighing gives impossible water content", theta=round(th, 3))
        pts.append((raw, max(th, 0.0)))
    return fit(pts, deg, made)

@dataclass
class Bench:
    curves: dict = field(default_factory=dict)
    temps: dict = field(default_factory=dict)

    def note_temp(self, bay, t_c):
        old = self.temps.get(bay)
        self.temps[bay] = t_c if old is None else old + 0.2 * (t_c - old)

    def convert(self, o, bay):
        t_c = self.temps.get(bay)
        if o.kind == "temp":
            self.note_temp(bay, o.v)
            return o
        if o.kind == "vwc":
            cv = self.curves.get(o.probe)
            q = o.q
            if cv is None:
                th = topp(counts_to_eps(o.v)) if o.v > 1.5 else o.v
                q |= Q_NOCAL
                lo, hi = 0.0, 0.95
            else:
                th = cv.at(o.v, t_c)
                lo, hi = cv.lo, cv.hi
            c = clamp(th, lo, hi)
            if c != th:
                q |= Q_CLIPPED
            return Obs(o.probe, o.kind, o.t, c, q)
        if o.kind == "ec" and t_c is not None:
            return Obs(o.probe, o.kind, o.t, ec25(o.v, t_c), o.q)
        return o
