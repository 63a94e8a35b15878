import math
from dataclasses import dataclass, field

from ..agro import et, retention as rt, salt
from ..agro.bucket import Slab, roll
from ..tick import DAY, midnight, sun_span
from ..units import clamp

@dataclass
class Ask:
    bay: str
    t: int
    mm: float
    early: int
    late: int
    prio: int
    why: str
    floor_mm: float = 0.0
    ec: float = 0.0

    def litres(self, bay):
        return bay.litres_of(self.mm)

@dataclass
class Phase:
    name: str
    a: int
    b: int
    drain: float
    gap_s: int

def phases(t, site, crop):
    sun = sun_span(t, site.lat, site.lon, site.utc_off_h)
    day = max(sun.secs, 6 * 3600)
    p1a = sun.a + int(1.5 * 3600)
    p1b = p1a + int(0.22 * day)
    p2b = sun.b - int(2.25 * 3600)
    return [
        Phase("dry", midnight(t, site.utc_off_h), p1a, 0.0, 3 * 3600),
        Phase("ramp", p1a, p1b, 0.05, 25 * 60),
        Phase("keep", p1b, max(p1b, p2b), 0.30, 35 * 60),
        Phase("dryback", max(p1b, p2b), sun.a + DAY, 0.0, 4 * 3600),
    ]

def phase_at(t, ph):
    for p in ph:
        if p.a <= t < p.b:
            return p
    return ph[-1]

def shot_mm(bay, scale=1.0):
    ml = bay.crop.shot_ml * bay.plants * scale
    return ml / 1000.0 / bay.area_m2

@dataclass
class State:
    slab: Slab
    root: salt.Root
    rad_j: float = 0.0
    last: int = 0
    fed: float = 0.0
    log: list = field(default_factory=list)

def seed(bay, view, last_shot, now):
    cc = rt.container_capacity(bay.substrate, bay.depth_mm)
    th = view.vwc if view is not None and view.usable() else cc * (1 - 0.5 * bay.crop.dryback)
    ec = view.ec if view is not None and not math.isnan(view.ec) else bay.crop.ec_feed * 1.2
    slab = Slab.at(bay.substrate, bay.depth_mm, th)
    return State(slab, salt.Root(slab.store_mm(), ec), 0.0, last_shot or now - 6 * 3600)

def night_rescue(bay, st, t, low):
    if st.slab.th >= low - 0.04:
        return None
    gap = (low - st.slab.th) * bay.depth_mm
    return Ask(bay.code, t, clamp(gap, 0.2, 2.0 * shot_mm(bay)), t, t + 5400, bay.crop.prio + 2, "rescue", gap * 0.5)

def walk(bay, site, st, rates, wx, t0, t1, step=600):
    asks = []
    cc = rt.container_capacity(bay.substrate, bay.depth_mm)
    low = rt.refill_point(bay.substrate, bay.depth_mm, bay.crop.dryback)
    tau = site.glass.get("tau", 0.7)
    t = t0
    day = None
    ph = []
    j = 0
    while t < t1:
        d = midnight(t, site.utc_off_h)
        if d != day:
            day = d
            ph = phases(t + 3600, site, bay.crop)
            st.rad_j = 0.0
        while j + 1 < len(rates) and rates[j + 1][0] <= t:
            j += 1
        rate = rates[j][1] if rates else 0.0
        used = st.slab.drink(rate * step / 3600.0)
        out = st.slab.seep(step / 3600.0)
        st.root.step(0.0, 0.0, used, out)
        st.rad_j += et.rad_sum(wx, t, t + step, tau)
        p = phase_at(t, ph)
        ask = None
        since = t - st.last
        if p.name in ("dry", "dryback"):
            if since >= p.gap_s:
                ask = night_rescue(bay, st, t, low)
        elif since >= p.gap_s:
            base = shot_mm(bay)
            lf = salt.leach_need(st.root.ec, bay.crop.ec_max)
            if p.name == "ramp" and st.slab.th < cc * 0.985:
                mm = min(base * 1.4, max(base * 0.6, (cc - st.slab.th) * bay.depth_mm * 0.5))
                ask = Ask(bay.code, t, mm, t, t + 1500, bay.crop.prio, "ramp", mm * 0.5)
            elif p.name == "keep" and st.rad_j >= bay.crop.rad_trig:
                mm = base * (1.0 + clamp(lf, p.drain * 0.3, p.drain))
                ask = Ask(bay.code, t, mm, t, t + 2400, bay.crop.prio, "rad", base * 0.6)
            elif p.name == "keep" and st.slab.th < low:
                mm = clamp((cc - st.slab.th) * bay.depth_mm, base * 0.5, base * 2)
                ask = Ask(bay.code, t, mm, t, t + 1800, bay.crop.prio + 1, "low", base * 0.8)
        if ask is not None:
            j_day = et.rad_sum(wx, day, day + DAY)
            ask.ec = salt.feed_ec_for(bay.crop, j_day, st.root.ec)
            d_out = st.slab.feed(ask.mm)
            st.root.step(ask.mm, ask.ec, 0.0, d_out)
            st.last = t
            st.rad_j = 0.0
            st.fed += ask.mm
            asks.append(ask)
        t += step
    return asks

def flush_ask(bay, st, t, window_s=4 * 3600):
    if st.root.ec <= bay.crop.ec_max:
        return None
    goal = 0.85 * bay.crop.ec_max
    feed = 0.7 * bay.crop.ec_feed
    if feed >= goal:
        return None
    mm = salt.flush_plan(st.root.ec, goal, st.slab.store_mm(), feed)
    mm = min(mm, 0.5 * bay.depth_mm)
    return Ask(bay.code, t, mm, t, t + window_s, bay.crop.prio, "flush", 0.0, round(feed, 2))

def check_ask(bay, st, rates, asks, t0, t1):
    _, tr = roll(st.slab, rates, [(a.t, a.mm) for a in asks], t0, t1, 900)
    fed = sum(a.mm for a in asks)
    return {
        "min_th": min(tr.th) if tr.th else st.slab.th,
        "end_th": tr.th[-1] if tr.th else st.slab.th,
        "drain": tr.drain_share(fed),
        "et_mm": sum(tr.et),
    }
