import math
from bisect import bisect_right
from dataclasses import replace

from ..model import WxPt
from ..tick import DAY, doy, sun_span
from ..units import clamp, median

FIELDS = ("ta", "rh", "ghi", "wind", "rain")

def at(rows, t):
    ts = [w.t for w in rows]
    i = bisect_right(ts, t)
    if i == 0:
        return replace(rows[0], t=t)
    if i == len(rows):
        return replace(rows[-1], t=t)
    a, b = rows[i - 1], rows[i]
    f = (t - a.t) / (b.t - a.t)
    vals = {}
    for k in FIELDS:
        x, y = getattr(a, k), getattr(b, k)
        vals[k] = y if math.isnan(x) else x if math.isnan(y) else x + f * (y - x)
    return WxPt(t, **vals)

def resample(rows, t0, t1, step):
    ts = [w.t for w in rows]
    out = []
    t = t0
    while t < t1:
        i = bisect_right(ts, t - 1)
        j = bisect_right(ts, t + step - 1)
        cell = rows[i:j]
        if len(cell) > 1:
            vals = {}
            for k in FIELDS:
                xs = [getattr(w, k) for w in cell if not math.isnan(getattr(w, k))]
                vals[k] = (sum(xs) if k == "rain" else sum(xs) / len(xs)) if xs else math.nan
            out.append(WxPt(t, **vals))
        else:
            out.append(at(rows, t))
        t += step
    return out

def clear_sky(t, site):
    sun = sun_span(t, site.lat, site.lon, site.utc_off_h)
    if not sun.has(t):
        return 0.0
    x = (t - sun.a) / max(1, sun.secs)
    n = doy(t, site.utc_off_h)
    peak = 920.0 * math.cos(math.radians(site.lat - 23.44 * math.sin(2 * math.pi * (n - 81) / 365.0))) * (1 + 0.033 * math.cos(2 * math.pi * n / 365.0))
    return max(0.0, peak) * math.sin(math.pi * x) ** 1.2

def typical(site, t0, t1, step=1800, cloud=0.65):
    out = []
    t = t0
    while t < t1:
        n = doy(t, site.utc_off_h)
        mean = 11.0 - 8.0 * math.cos(2 * math.pi * (n - 20) / 365.0)
        hour = ((t + site.utc_off_h * 3600) % DAY) / 3600.0
        swing = -4.5 * math.cos(2 * math.pi * (hour - 3.0) / 24.0)
        ta = mean + swing
        out.append(WxPt(t, ta, clamp(78.0 - 3.2 * swing, 30, 99), cloud * clear_sky(t, site), 3.0, 0.0))
        t += step
    return out

def bias(past, fc, now, win_s=36 * 3600):
    if len(past) < 2 or len(fc) < 2:
        return {}
    fs = sorted(fc, key=lambda w: w.t)
    dta, drh, num, den = [], [], 0.0, 0.0
    for w in past:
        if w.t < now - win_s or not fs[0].t <= w.t <= fs[-1].t:
            continue
        f = at(fs, w.t)
        if not math.isnan(w.ta - f.ta):
            dta.append(w.ta - f.ta)
        if not math.isnan(w.rh - f.rh):
            drh.append(w.rh - f.rh)
        if w.ghi > 60 and f.ghi > 60:
            num += w.ghi
            den += f.ghi
    out = {}
    if len(dta) >= 6:
        out["ta"] = clamp(median(dta), -4.0, 4.0)
    if len(drh) >= 6:
        out["rh"] = clamp(median(drh), -20.0, 20.0)
    if den > 500:
        out["ghi"] = clamp(num / den, 0.7, 1.35)
    return out

def fade(fc, corr, now, tau_s=18 * 3600):
    out = []
    for w in fc:
        g = math.exp(-max(0, w.t - now) / tau_s)
        out.append(replace(
            w, ta=w.ta + g * corr.get("ta", 0.0),
            rh=clamp(w.rh + g * corr.get("rh", 0.0), 5.0, 100.0) if not math.isnan(w.rh) else w.rh,
            ghi=w.ghi * (1.0 + g * (corr.get("ghi", 1.0) - 1.0))))
    return out

def join(past, fc, now):
    past = sorted(past, key=lambda w: w.t)
    fc = sorted(fc, key=lambda w: w.t)
    if not fc:
        return past
    if not past:
        return fc
    corr = bias(past, fc, now)
    cut = past[-1].t
    return past + fade([w for w in fc if w.t > cut], corr, now)

def patch(rows, t0, t1, site, max_gap=3 * 3600, step=1800):
    fill = typical(site, t0, t1, step)
    if not rows:
        return fill
    out = []
    rows = [w for w in rows if not math.isnan(w.ta)]
    ts = [w.t for w in rows]
    for f in fill:
        i = bisect_right(ts, f.t)
        a = rows[i - 1] if i else None
        b = rows[i] if i < len(rows) else None
        if a is not None and b is not None and b.t - a.t <= max_gap:
            continue
        if a is not None and f.t - a.t <= step or b is not None and b.t - f.t <= step:
            continue
        near = a if a is not None else b
        ref = typical(site, near.t, near.t + 1, step)[0]
        g = math.exp(-abs(f.t - near.t) / (24.0 * 3600))
        out.append(replace(f, ta=f.ta + g * (near.ta - ref.ta)))
    return sorted(rows + out, key=lambda w: w.t)

def audit(rows, site):
    bad = []
    for a, b in zip(rows, rows[1:]):
        if b.t <= a.t:
            bad.append((b.t, "time goes backwards"))
        elif b.t - a.t > 6 * 3600:
            bad.append((a.t, f"gap of {(b.t - a.t) // 3600} h"))
        if abs(b.ta - a.ta) > 12 and b.t - a.t <= 3600:
            bad.append((b.t, "temperature jumps"))
    for w in rows:
        if w.ghi > 50 and clear_sky(w.t, site) == 0.0 and clear_sky(w.t - 2400, site) == 0 and clear_sky(w.t + 2400, site) == 0:
            bad.append((w.t, "sunshine at night"))
        if not math.isnan(w.rh) and not 2 <= w.rh <= 100.5:
            bad.append((w.t, "humidity out of range"))
    return sorted(bad)
