import hashlib
import json
import math

from ..agro import et
from ..agro.bucket import KcNudge
from ..data import wxseries
from ..model import Plan
from ..ops.rights import Book
from ..ops import pump as pumpmod
from ..sense import fuse
from ..sense.scrub import Gate, mark_spikes
from ..tick import DAY, iso
from ..units import fmt_vol
from . import hyd, need, pack as packer, squeeze, windows

class Engine:
    def __init__(self, site, db, now):
        self.site = site
        self.db = db
        self.now = now
        self.gate = Gate()
        self.gains = db.get_blob("kc_gain") or {}
        self.notes = []

    def say(self, lvl, txt, **kw):
        self.notes.append({"lvl": lvl, "txt": txt, **kw})

    def views(self, back_s=6 * 3600):
        raw = self.db.obs_between(self.now - back_s, self.now)
        obs = [self.gate.check(o) for o in mark_spikes(raw)]
        out = {}
        for code in self.site.bays:
            v = fuse.look(code, obs, self.site.probes, self.gate, self.now)
            if not v.usable():
                self.say("warn", "no recent moisture reading, running on the model", bay=code)
            elif v.spread > 0.15:
                newest = {o.probe: o.v for o in obs if o.kind == "vwc" and o.probe in self.site.bays[code].probes}
                self.say("info", "probes disagree", bay=code, spread=round(v.spread, 3), suspect=fuse.odd_one_out(newest))
            out[code] = v
        return out

    def weather(self, t0, t1):
        past = self.db.wx_between(t0 - 2 * DAY, t0 + 3600, "obs")
        fc = self.db.wx_between(t0 - 2 * DAY, t1 + 3600, "fc")
        if not past and not fc:
            self.say("warn", "no weather stored, falling back to a typical day")
            return wxseries.typical(self.site, t0 - 3600, t1 + 3600)
        joined = wxseries.join(past, fc, t0)
        full = wxseries.patch(joined, t0 - 3600, t1 + 3600, self.site)
        return wxseries.resample(full, t0 - 3600, t1 + 3600, 1800)

    def refresh_gain(self, bay, wx):
        rows = self.db.uptake_between(bay.code, self.now - 3 * DAY, self.now)
        if not rows:
            return self.gains.get(bay.code, {}).get("x", 1.0)
        k = KcNudge(**self.gains.get(bay.code, {}))
        rates = et.bay_rates(bay, wx, self.site, et.heat_guess(bay, self.now))
        for t0, t1, mm in rows:
            k.learn(et.sum_mm(rates, t0, t1), mm)
        self.gains[bay.code] = {"x": k.x, "p": k.p}
        return k.x

    def collect(self, t0, t1, views, wx):
        asks = []
        checks = {}
        for code, bay in self.site.bays.items():
            if bay.paused:
                continue
            gain = self.refresh_gain(bay, wx)
            rates = et.bay_rates(bay, wx, self.site, et.heat_guess(bay, t0), gain)
            st = need.seed(bay, views.get(code), self.db.last_shot(bay.lines, t0), t0)
            before = need.State(st.slab.copy(), need.salt.Root(st.root.mm, st.root.ec), 0.0, st.last)
            mine = need.walk(bay, self.site, st, rates, wx, t0, t1)
            fl = need.flush_ask(bay, before, t0)
            if fl is not None:
                mine.append(fl)
                self.say("info", "root zone is salty, adding a wash", bay=code, ec=round(before.root.ec, 2))
            tiny = min(self.site.lines[l].lpm * self.site.lines[l].min_s / 60.0 for l in bay.lines) * len(bay.lines)
            mine = squeeze.merge_small(mine, bay, 0.8 * bay.mm_of(tiny))
            checks[code] = need.check_ask(bay, before, rates, mine, t0, t1)
            asks.extend(mine)
        return asks, checks

    def make(self, hours=24, book=None, tank_l=None):
        t0, t1 = self.now, self.now + int(hours * 3600)
        views = self.views()
        wx = self.weather(t0, t1)
        asks, checks = self.collect(t0, t1, views, wx)
        book = book or Book(self.site, self.db.draws())
        kept, cuts = squeeze.day_caps(self.site, asks, lambda a, b: book.day_allow_l(max(a, t0), b))
        for d, c in cuts.items():
            self.say("warn", "water rights force a cut", day=iso(d)[:10], cuts=c)
        wear, dead = self.gear()
        holds = {c: windows.reentry_holds(self.db.get_blob("sprays") or [], c) for c in self.site.bays}
        shots, missed = packer.pack(self.site, kept, t0, t1, wear, dead, holds)
        for a, why in missed:
            self.say("warn", "could not place a watering", bay=a.bay, at=iso(a.t), why=why)
        shots = packer.bunch(self.site, shots)
        if tank_l is not None:
            refill = sum(r.max_lps for r in self.site.rights if r.max_lps < 1e8) * 60.0 * 0.8
            shots, gone = squeeze.drop_for_tank(
                shots, tank_l, self.site.tank_m3 * 1000.0, refill, t0, t1, 0.1 * self.site.tank_m3 * 1000.0,
                lambda s: self.site.bay_of_line(s.line).crop.prio)
            if gone:
                self.say("warn", "tank would run low, dropped waterings", n=len(gone))
        for code, c in checks.items():
            if c["drain"] > 0.45:
                self.say("info", "much of the water will run off", bay=code, share=round(c["drain"], 2))
        self.db.put_blob("kc_gain", self.gains)
        return Plan(self.now, t0, t1, shots, self.notes)

    def gear(self):
        wear, dead = {}, set(self.db.get_blob("locked_out") or [])
        for tag, card in self.site.pumps.items():
            w = pumpmod.Wear.from_blob(card, self.db.get_blob("wear:" + tag))
            wear[tag] = w.head_factor()
            if w.verdict() == "stop":
                dead.add(tag)
                self.say("warn", "pump is worn out and left idle", pump=tag)
        return wear, dead

def fingerprint(plan):
    rows = [(s.line, s.t0, s.secs, round(s.litres, 1)) for s in plan.shots]
    return hashlib.sha1(json.dumps(rows).encode()).hexdigest()[:12]

def contrast(old, new, slack_s=240, slack_l=0.1):
    pool = {}
    for s in old.shots:
        pool.setdefault(s.line, []).append(s)
    same, moved, resized, added = [], [], [], []
    for s in new.shots:
        cands = pool.get(s.line, [])
        best = min(cands, key=lambda o: abs(o.t0 - s.t0), default=None)
        if best is None or abs(best.t0 - s.t0) > 3600:
            added.append(s)
            continue
        cands.remove(best)
        if abs(best.litres - s.litres) > slack_l * max(best.litres, 1.0):
            resized.append((best, s))
        elif abs(best.t0 - s.t0) > slack_s:
            moved.append((best, s))
        else:
            same.append(s)
    gone = [s for ss in pool.values() for s in ss]
    return {"same": same, "moved": moved, "resized": resized, "added": added, "gone": gone}

def settle(old, new, now, freeze_s=1200):
    keep = [s for s in old.shots if now - s.secs <= s.t0 < now + freeze_s]
    lines = {}
    for s in keep:
        lines[s.line] = max(lines.get(s.line, 0), s.t1)
    rest = [s for s in new.shots if s.t0 >= now + freeze_s and s.t0 >= lines.get(s.line, 0)]
    d = contrast(Plan(old.made, old.t0, old.t1, [s for s in old.shots if s.t0 >= now + freeze_s]), Plan(new.made, new.t0, new.t1, rest))
    pinned = {(b.line, b.t0): a for a, b in d["moved"] if abs(a.t0 - b.t0) < 600}
    rest = [pinned.get((s.line, s.t0), s) for s in rest]
    return Plan(new.made, new.t0, new.t1, sorted(keep + rest, key=lambda s: (s.t0, s.line)), new.notes)

def costing(site, plan, wear=None):
    wear = wear or {}
    eur = kwh = 0.0
    per = {}
    for s in plan.shots:
        ln = site.lines[s.line]
        card = site.pumps[ln.pump]
        head = card.head(ln.lpm) * wear.get(ln.pump, 1.0)
        kw = hyd.shaft_kw(card, ln.lpm, head)
        kwh += kw * s.secs / 3600.0
        eur += windows.kwh_cost(site, kw, s.t0, s.t1)
        b = per.setdefault(ln.bay, [0, 0.0])
        b[0] += 1
        b[1] += s.litres
    top, when = packer.peak_lpm(site, plan.shots)
    return {
        "kwh": round(kwh, 2), "eur": round(eur, 2), "litres": round(plan.litres(), 1),
        "peak_lpm": round(top, 1), "peak_at": iso(when) if when else None,
        "bays": {k: {"shots": n, "litres": round(v, 1), "mm": round(site.bays[k].mm_of(v), 2)} for k, (n, v) in per.items()},
    }

def explain(site, plan, line, t):
    hits = [s for s in plan.shots if s.line == line and s.t0 <= t < s.t1]
    if not hits:
        nxt = [s for s in plan.shots if s.line == line and s.t0 > t]
        bay = site.bay_of_line(line)
        shut = windows.quiet_spans(site, bay.code, t - 60, t + 60)
        if shut:
            return "closed: quiet period"
        if bay.paused:
            return "closed: bay is paused"
        return "closed: next at " + iso(nxt[0].t0) if nxt else "closed: nothing more planned"
    s = hits[0]
    words = {
        "ramp": "morning refill", "rad": "light sum reached", "low": "below refill point",
        "rescue": "dry at night", "flush": "washing salt out",
    }
    why = words.get(s.why.rstrip("*"), s.why)
    cut = ", reduced for lack of water" if s.why.endswith("*") else ""
    return f"open: {why}{cut}, {fmt_vol(s.litres)} in {math.ceil(s.secs / 60)} min"
