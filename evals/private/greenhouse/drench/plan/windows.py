from ..tick import Span, carve, common, daily_spans, hhmm, midnight, mod, wday, weld

def quiet_spans(site, bay_code, t0, t1):
    out = []
    for r in site.quiet:
        if r.get("bays") and bay_code not in r["bays"]:
            continue
        days = set(r["days"]) if "days" in r else None
        out.extend(daily_spans(t0, t1, hhmm(r["from"]), hhmm(r["to"]), site.utc_off_h, days))
    return weld(out)

def open_spans(site, bay, t0, t1, extra=()):
    if bay.paused:
        return []
    free = carve([Span(t0, t1)], quiet_spans(site, bay.code, t0, t1))
    return carve(free, list(extra)) if extra else free

def reentry_holds(sprays, bay_code):
    out = []
    for s in sprays:
        if s["bay"] == bay_code:
            out.append(Span(s["t"] - 900, s["t"] + int(s.get("hold_h", 4) * 3600)))
    return weld(out)

def tou_at(site, t):
    m = mod(t, site.utc_off_h)
    d = wday(t, site.utc_off_h)
    for r in site.tou:
        if r["days"] is not None and d not in r["days"]:
            continue
        a, b = r["from"], r["to"]
        inside = a <= m < b if a < b else (m >= a or m < b)
        if inside:
            return r
    return None

def kwh_cost(site, kw, t0, t1):
    tot = 0.0
    t = t0
    edges = sorted({r["from"] for r in site.tou} | {r["to"] % 1440 for r in site.tou} | {0})
    while t < t1:
        base = midnight(t, site.utc_off_h)
        nxt = base + 86400
        for e in edges:
            c = base + e * 60
            if c > t:
                nxt = c
                break
        nxt = min(nxt, t1)
        band = tou_at(site, t)
        tot += kw * (nxt - t) / 3600.0 * (band["eur_kwh"] if band else 0.25)
        t = nxt
    return tot

def fit_in(spans, secs, early, late):
    for s in common(spans, [Span(early, late + secs)]):
        if s.secs >= secs:
            return s.a
    return None
