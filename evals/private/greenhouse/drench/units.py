import math
import re

from .model import BadInput

L_PER_M3 = 1000.0
M3_PER_ACFT = 1233.48184
M_PER_BAR = 10.19716
KPA_PER_PSI = 6.894757

_FACTORS = {
    "vol": {"l": 1.0, "ml": 1e-3, "m3": 1e3, "hl": 100.0, "gal": 3.785411784, "acft": M3_PER_ACFT * 1e3, "ml_mega": 1e6},
    "flow": {"lpm": 1.0, "l/min": 1.0, "l/h": 1 / 60.0, "lph": 1 / 60.0, "l/s": 60.0, "lps": 60.0, "m3/h": 1000 / 60.0, "gpm": 3.785411784},
    "press": {"kpa": 1.0, "bar": 100.0, "mbar": 0.1, "psi": KPA_PER_PSI, "m": 100.0 / M_PER_BAR, "cb": 1.0},
    "len": {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, "ft": 304.8},
    "ec": {"ds/m": 1.0, "ms/cm": 1.0, "us/cm": 1e-3, "ppm500": 1 / 500.0, "ppm700": 1 / 700.0},
    "rad": {"w/m2": 1.0, "kw/m2": 1e3, "j/cm2/h": 10000 / 3600.0, "umol": 0.457},
}

_QTY = re.compile(r"^\s*([-+]?\d*[.,]?\d+(?:[eE][-+]?\d+)?)\s*([a-zA-Z0-9/%]*)\s*$")
_DUR = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|min|m|s)")

def qty(txt, dim, default=None):
    if isinstance(txt, (int, float)):
        return float(txt)
    hit = _QTY.match(txt)
    if not hit:
        raise BadInput("cannot read quantity", text=txt, dim=dim)
    num = float(hit.group(1).replace(",", "."))
    unit = hit.group(2).lower()
    if not unit:
        unit = default
        if unit is None:
            return num
    try:
        return num * _FACTORS[dim][unit]
    except KeyError:
        raise BadInput("unit does not belong to dimension", unit=unit, dim=dim) from None

def dur_s(txt):
    if isinstance(txt, (int, float)):
        return int(txt)
    txt = txt.strip().lower()
    if re.fullmatch(r"\d+:\d\d(:\d\d)?", txt):
        parts = [int(x) for x in txt.split(":")]
        while len(parts) < 3:
            parts.append(0)
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    mult = {"d": 86400, "h": 3600, "min": 60, "m": 60, "s": 1}
    pos = 0
    total = 0.0
    for hit in _DUR.finditer(txt):
        if txt[pos:hit.start()].strip():
            raise BadInput("cannot read duration", text=txt)
        total += float(hit.group(1)) * mult[hit.group(2)]
        pos = hit.end()
    if pos == 0 or txt[pos:].strip():
        raise BadInput("cannot read duration", text=txt)
    return int(round(total))

def fmt_dur(s):
    s = int(s)
    neg = "-" if s < 0 else ""
    s = abs(s)
    d, s = divmod(s, 86400)
    h, s = divmod(s, 3600)
    m, s = divmod(s, 60)
    bits = []
    for n, u in ((d, "d"), (h, "h"), (m, "m"), (s, "s")):
        if n:
            bits.append(f"{n}{u}")
    return neg + ("".join(bits[:2]) or "0s")

def fmt_vol(l):
    a = abs(l)
    if a >= 1e5:
        return f"{l / 1000:.0f} m3"
    if a >= 1000:
        return f"{l / 1000:.2f} m3"
    if a >= 1:
        return f"{l:.0f} l"
    return f"{l * 1000:.0f} ml"

def clamp(v, lo, hi):
    return lo if v < lo else hi if v > hi else v

def lerp_tab(tab, x):
    if not tab:
        raise ValueError("empty table")
    if x <= tab[0][0]:
        return tab[0][1]
    for (x0, y0), (x1, y1) in zip(tab, tab[1:]):
        if x <= x1:
            if x1 == x0:
                return y1
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return tab[-1][1]

def median(xs):
    ys = sorted(xs)
    n = len(ys)
    if not n:
        return math.nan
    h = n // 2
    return ys[h] if n % 2 else 0.5 * (ys[h - 1] + ys[h])

def wmedian(pairs):
    ps = sorted((v, w) for v, w in pairs if w > 0)
    tot = sum(w for _, w in ps)
    if tot <= 0:
        return math.nan
    acc = 0.0
    for i, (v, w) in enumerate(ps):
        acc += w
        if abs(acc - tot / 2) < 1e-12 and i + 1 < len(ps):
            return 0.5 * (v + ps[i + 1][0])
        if acc > tot / 2:
            return v
    return ps[-1][0]

def bisect_root(f, lo, hi, tol=1e-6, cap=80):
    flo = f(lo)
    fhi = f(hi)
    if flo == 0:
        return lo
    if flo * fhi > 0:
        return lo if abs(flo) < abs(fhi) else hi
    for _ in range(cap):
        mid = 0.5 * (lo + hi)
        fm = f(mid)
        if abs(hi - lo) < tol:
            return mid
        if flo * fm <= 0:
            hi = mid
        else:
            lo, flo = mid, fm
    return 0.5 * (lo + hi)
