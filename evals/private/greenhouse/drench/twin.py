import random
from collections import defaultdict

from .agro import et
from .agro.bucket import Slab
from .agro.retention import container_capacity
from .agro.salt import Root
from .model import Obs, Plan
from .ops.valves import BadMove, Valve, orders
from .tick import DAY

class Twin:
    def __init__(self, site, wx, t0, rng_seed=7, et_bias=0.1):
        self.site = site
        self.wx = wx
        self.t = t0
        self.rng = random.Random(rng_seed)
        self.slabs = {}
        self.roots = {}
        self.rates = {}
        self.valves = {tag: Valve(tag, ln.lpm) for tag, ln in site.lines.items()}
        self.litres = defaultdict(float)
        self.offs = {p: self.rng.gauss(0, 0.012) for p in site.probes}
        for code, b in site.bays.items():
            cc = container_capacity(b.substrate, b.depth_mm)
            self.slabs[code] = Slab.at(b.substrate, b.depth_mm, cc * self.rng.uniform(0.9, 0.98))
            self.roots[code] = Root(self.slabs[code].store_mm(), b.crop.ec_feed * self.rng.uniform(1.0, 1.4))
            gain = 1.0 + self.rng.gauss(0, et_bias)
            self.rates[code] = et.bay_rates(b, wx, site, et.heat_guess(b, t0), gain)

    def rate_at(self, code, t):
        r = 0.0
        for tt, v in self.rates[code]:
            if tt > t:
                break
            r = v
        return r

    def flow_of(self, tag):
        v = self.valves[tag]
        if v.st in ("open", "opening", "failed_open"):
            return v.nominal * self.rng.gauss(0.98, 0.02)
        return 0.0

    def step(self, plan, dt=30):
        for tag, cmd in orders(plan, self.valves, self.t):
            try:
                self.valves[tag].fire(cmd, self.t)
            except BadMove:
                continue
        fed = defaultdict(float)
        ecs = {}
        for tag, v in self.valves.items():
            q = self.flow_of(tag)
            v.poll(self.t, q)
            if q > 0:
                l = q * dt / 60.0
                self.litres[tag] += l
                code = self.site.lines[tag].bay
                fed[code] += self.site.bays[code].mm_of(l)
                on = [s for s in plan.running_at(self.t) if s.line == tag]
                ecs[code] = on[0].ec if on and on[0].ec else self.site.bays[code].crop.ec_feed
        for code, s in self.slabs.items():
            out = s.feed(fed[code]) if fed[code] else 0.0
            used = s.drink(self.rate_at(code, self.t) * dt / 3600.0)
            out += s.seep(dt / 3600.0)
            self.roots[code].step(fed[code], ecs.get(code, 0.0), used, out)
        self.t += dt

    def sample(self):
        out = []
        for pid, m in self.site.probes.items():
            s = self.slabs[m["bay"]]
            if m["kind"] == "vwc":
                v = s.th + self.offs[pid] + self.rng.gauss(0, 0.002)
                if self.rng.random() < 0.004:
                    v += self.rng.choice((-0.3, 0.25))
                v = round(min(0.98, max(0.0, v)), 4)
            elif m["kind"] == "ec":
                v = round(max(0.0, self.roots[m["bay"]].ec + self.rng.gauss(0, 0.05)), 3)
            elif m["kind"] == "temp":
                v = round(20.0 + self.rng.gauss(0, 0.3), 2)
            else:
                continue
            out.append(Obs(pid, m["kind"], self.t, v))
        return out

    def run(self, plan, until, every=600, sink=None):
        nxt = self.t
        rows = []
        while self.t < until:
            if self.t >= nxt:
                got = self.sample()
                if sink is not None:
                    sink(got)
                rows.append((self.t, {c: round(s.th, 4) for c, s in self.slabs.items()}))
                nxt += every
            self.step(plan)
        return rows

    def score(self, rows):
        out = {}
        for code, b in self.site.bays.items():
            cc = container_capacity(b.substrate, b.depth_mm)
            xs = [r[code] for _, r in rows]
            s = self.slabs[code]
            mm = b.mm_of(sum(self.litres[t] for t in b.lines))
            out[code] = {
                "min": min(xs), "max": max(xs),
                "dry_share": round(sum(1 for x in xs if x < cc * (1 - 1.5 * b.crop.dryback)) / len(xs), 3),
                "fed_mm": round(mm, 2), "drain": round(s.drained / mm, 3) if mm else 0.0,
                "ec": round(self.roots[code].ec, 2),
            }
        return out

def warm_up(site, db, wx, t0, hours=6):
    tw = Twin(site, wx, t0 - int(hours * 3600))
    tw.run(Plan(t0, tw.t, t0), t0, sink=db.add_obs)
    for code, s in tw.slabs.items():
        db.add_uptake(code, t0 - int(hours * 3600), t0, s.used)
    return tw

def closed_loop(site, db, make_plan, wx, t0, days=1, every_h=6):
    tw = warm_up(site, db, wx, t0)
    rows = []
    t = t0
    while t < t0 + days * DAY:
        p = make_plan(t)
        rows += tw.run(p, min(t + every_h * 3600, t0 + days * DAY), sink=db.add_obs)
        t += every_h * 3600
    return tw, rows
