import math

from ..model import WxPt
from ..tick import DAY
from ..units import clamp, lerp_tab

LAMBDA = 2.45
CP = 1.013e-3
RHO_CP = 1210.0

def es_kpa(t):
    return 0.6108 * math.exp(17.27 * t / (t + 237.3))

def vpd(t, rh):
    return es_kpa(t) * (1.0 - clamp(rh, 0, 100) / 100.0)

def slope_kpa(t):
    return 4098.0 * es_kpa(t) / (t + 237.3) ** 2

def gamma(elev_m):
    p = 101.3 * ((293.0 - 0.0065 * elev_m) / 293.0) ** 5.26
    return 0.665e-3 * p

def abs_hum(t, rh):
    return 2165.0 * es_kpa(t) * rh / 100.0 / (t + 273.16)

def indoor(w, glass, lai=2.5):
    tau = glass.get("tau", 0.7)
    k = glass.get("heat_k", 6.0)
    vent_t = glass.get("vent_t", 25.0)
    heat_t = glass.get("heat_t", 16.0)
    g = w.ghi * tau
    sens = g * (1.0 - clamp(0.25 + 0.15 * lai, 0, 0.75))
    free = w.ta + sens / k
    if free > vent_t:
        vent = clamp((free - vent_t) / 8.0, 0.0, 1.0)
        t_in = max(w.ta + 0.35 * (free - w.ta), vent_t + 0.3 * (free - vent_t) * (1 - 0.6 * vent))
    else:
        vent = 0.0
        t_in = max(free, heat_t)
    x_out = abs_hum(w.ta, w.rh)
    x_set = abs_hum(t_in, glass.get("rh_in", 75.0))
    mix = clamp(0.15 + 0.6 * vent, 0, 0.85)
    x = mix * (x_out + 2.0) + (1 - mix) * x_set
    rh = clamp(100.0 * x / abs_hum(t_in, 100.0), 25.0, 98.0)
    return WxPt(w.t, t_in, rh, g, glass.get("air_ms", 0.15) + 0.25 * vent, 0.0)

def stanghellini(w, elev, lai, rb=200.0):
    rn = 0.86 * w.ghi * (1.0 - math.exp(-0.7 * lai))
    rs = 82.0 * (rn / (2 * max(lai, 0.3)) + 4.3) / (rn / (2 * max(lai, 0.3)) + 0.54)
    rs *= 1.0 + 0.023 * (w.ta - 24.5) ** 2 * 0.1
    d = vpd(w.ta, w.rh)
    rs *= 1.0 + 0.11 * max(0.0, d - 0.8) ** 2
    rb = clamp(rb * math.sqrt(0.2 / max(w.wind, 0.05)), 80.0, 400.0)
    s = slope_kpa(w.ta)
    g = gamma(elev)
    num = s * rn + 2 * lai * RHO_CP * d / rb
    den = s + g * (1.0 + rs / rb)
    le = num / den
    return max(0.0, le * 3600.0 / (LAMBDA * 1e6))

def priestley(w, elev, alpha=1.2):
    rn = 0.62 * w.ghi
    s = slope_kpa(w.ta)
    le = alpha * s / (s + gamma(elev)) * rn
    return max(0.0, le * 3600.0 / (LAMBDA * 1e6))

def kc_now(crop, heat_units):
    return lerp_tab(crop.kc, heat_units)

def lai_guess(crop, heat_units):
    top = max(k for _, k in crop.kc)
    f = kc_now(crop, heat_units) / top
    return clamp(3.4 * f ** 1.6, 0.3, 3.6)

def bay_rates(bay, wx, site, heat0, gain=1.0):
    out = []
    h = heat0
    prev = None
    for w in wx:
        lai = lai_guess(bay.crop, h)
        ins = indoor(w, site.glass, lai)
        if prev is not None:
            h += max(0.0, min(ins.ta, 32.0) - bay.crop.t_base) * clamp((w.t - prev) / DAY, 0, 0.5)
        prev = w.t
        if math.isnan(w.rh):
            r = priestley(ins, site.elev_m) * kc_now(bay.crop, h)
        else:
            r = stanghellini(ins, site.elev_m, lai)
        out.append((w.t, r * gain))
    return out

def heat_guess(bay, now, mean_in=19.5):
    return bay.age_d(now) * max(0.0, mean_in - bay.crop.t_base)

def sum_mm(rates, t0, t1):
    tot = 0.0
    for i, (t, r) in enumerate(rates):
        e = rates[i + 1][0] if i + 1 < len(rates) else t + 3600
        a, b = max(t, t0), min(e, t1)
        if b > a:
            tot += r * (b - a) / 3600.0
    return tot

def rad_sum(wx, t0, t1, tau=1.0):
    j = 0.0
    for i, w in enumerate(wx):
        e = wx[i + 1].t if i + 1 < len(wx) else w.t + 3600
        a, b = max(w.t, t0), min(e, t1)
        if b > a:
            j += w.ghi * tau * (b - a) / 10000.0
    return j
