from collections import defaultdict

from ..tick import DAY, midnight

def water_fill(wants, floors, weights, have):
    keys = list(wants)
    give = {k: min(floors.get(k, 0.0), wants[k]) for k in keys}
    base = sum(give.values())
    if base >= have:
        if base <= 0:
            return {k: 0.0 for k in keys}
        order = sorted(keys, key=lambda k: -weights.get(k, 1.0))
        left = have
        out = {}
        for k in order:
            out[k] = min(give[k], max(0.0, left))
            left -= out[k]
        return out
    left = have - base
    live = {k for k in keys if wants[k] - give[k] > 1e-9}
    while live and left > 1e-9:
        tot = sum(weights.get(k, 1.0) for k in live)
        if tot <= 0:
            break
        unit = left / tot
        full = [k for k in live if wants[k] - give[k] <= unit * weights.get(k, 1.0) + 1e-12]
        if not full:
            for k in live:
                give[k] += unit * weights.get(k, 1.0)
            break
        for k in full:
            left -= wants[k] - give[k]
            give[k] = wants[k]
            live.discard(k)
    return give

def cut_asks(site, asks, have_l, now):
    want = defaultdict(float)
    floor = defaultdict(float)
    wt = {}
    for a in asks:
        b = site.bay(a.bay)
        want[a.bay] += b.litres_of(a.mm)
        floor[a.bay] += b.litres_of(a.floor_mm)
        wt[a.bay] = max(wt.get(a.bay, 0), float(a.prio)) * (1.0 + min(b.age_d(now), 120.0) / 240.0)
    tot = sum(want.values())
    if tot <= have_l:
        return list(asks), {}
    give = water_fill(dict(want), dict(floor), wt, have_l)
    out = []
    cuts = {}
    for code, w in want.items():
        cuts[code] = 1.0 - give[code] / w if w else 0.0
    for a in asks:
        b = site.bay(a.bay)
        c = cuts[a.bay]
        if c <= 1e-9:
            out.append(a)
            continue
        keep = a.mm * (1.0 - c)
        if a.why == "flush":
            continue
        if keep < 0.15 * a.mm or b.litres_of(keep) < 1.0:
            continue
        out.append(type(a)(a.bay, a.t, keep, a.early, a.late, a.prio, a.why + "*", min(a.floor_mm, keep), a.ec))
    return out, {k: round(v, 3) for k, v in cuts.items() if v > 1e-9}

def merge_small(asks, bay, min_mm):
    out = []
    hold = None
    for a in sorted(asks, key=lambda x: x.t):
        if hold is not None:
            a = type(a)(a.bay, a.t, a.mm + hold.mm, a.early, a.late, max(a.prio, hold.prio), a.why, a.floor_mm + hold.floor_mm, a.ec)
            hold = None
        if a.mm < min_mm:
            hold = a
        else:
            out.append(a)
    if hold is not None:
        if out:
            z = out[-1]
            z.mm += hold.mm
            z.floor_mm += hold.floor_mm
        else:
            out.append(hold)
    return out

def day_caps(site, asks, caps_l):
    days = defaultdict(list)
    for a in asks:
        days[midnight(a.t, site.utc_off_h)].append(a)
    out = []
    report = {}
    for d in sorted(days):
        cap = caps_l(d, d + DAY)
        kept, cuts = cut_asks(site, days[d], cap, d)
        out.extend(kept)
        if cuts:
            report[d] = cuts
    return out, report

def tank_path(level_l, cap_l, shots, refill_lpm, t0, t1, step=900):
    lvl = level_l
    low = (lvl, t0)
    spill = 0.0
    rows = []
    t = t0
    while t < t1:
        out = 0.0
        for s in shots:
            a, b = max(s.t0, t), min(s.t1, t + step)
            if b > a:
                out += s.litres * (b - a) / s.secs
        lvl += refill_lpm * step / 60.0 - out
        if lvl > cap_l:
            spill += lvl - cap_l
            lvl = cap_l
        if lvl < low[0]:
            low = (lvl, t)
        rows.append((t + step, lvl))
        t += step
    return rows, low, spill

def drop_for_tank(shots, level_l, cap_l, refill_lpm, t0, t1, reserve_l, rank):
    live = list(shots)
    gone = []
    for _ in range(len(shots)):
        _, (low, when), _ = tank_path(level_l, cap_l, live, refill_lpm, t0, t1)
        if low >= reserve_l:
            break
        pool = [s for s in live if s.t0 <= when + 900]
        if not pool:
            break
        worst = min(pool, key=lambda s: (rank(s), -s.litres))
        live.remove(worst)
        gone.append(worst)
    return live, gone
