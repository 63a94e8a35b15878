from dataclasses import dataclass, field

from ..model import BadConf, Missing
from ..tick import hhmm, mod
from ..units import dur_s
from . import cond

RANK = {"low": 0, "mid": 1, "high": 2}

@dataclass
class Rule:
    rid: str
    when: tuple
    clear: tuple
    hold_s: int
    sev: str
    src: str

    @classmethod
    def of(cls, d):
        if d.get("sev", "low") not in RANK:
            raise BadConf("alarm severity unknown", rule=d.get("id"), sev=d.get("sev"))
        w = cond.parse(d["when"])
        c = cond.parse(d["clear"]) if "clear" in d else ("not", w)
        return cls(d["id"], w, c, dur_s(d.get("hold", 0)), d.get("sev", "low"), d["when"])

@dataclass
class Cell:
    st: str = "idle"
    since: int = 0
    raised: int = 0
    acked: str = ""
    sent: dict = field(default_factory=dict)
    flips: list = field(default_factory=list)

class Desk:
    def __init__(self, site, cells=None):
        self.site = site
        self.rules = [Rule.of(d) for d in site.alarms]
        self.cells = cells if cells is not None else {}

    def env_of(self, view, bay):
        nan = float("nan")
        return {
            "vwc": view.vwc, "ec": view.ec, "temp": view.temp, "dvwc": view.dvwc, "age": view.age,
            "spread": view.spread if view.n else nan, "n": view.n,
            "ec_max": bay.crop.ec_max, "area": bay.area_m2,
        }

    def feed(self, t, where, env):
        out = []
        for r in self.rules:
            c = self.cells.setdefault((r.rid, where), Cell())
            if c.st in ("idle", "pend"):
                v = cond.run(r.when, env)
                if v:
                    if c.st == "idle":
                        c.st, c.since = "pend", t
                    if t - c.since >= r.hold_s:
                        c.st, c.raised, c.acked = "on", t, ""
                        c.sent = {}
                        c.flips.append(t)
                        out.append(("raise", r, where, t))
                elif v is False:
                    c.st = "idle"
            else:
                if cond.run(r.clear, env):
                    c.st, c.since = "idle", t
                    out.append(("clear", r, where, t))
        return out

    def chatter(self, rid, where, t, win=3600, n=4):
        c = self.cells.get((rid, where))
        if c is None:
            return False
        c.flips = [x for x in c.flips if t - x < 6 * win]
        return sum(1 for x in c.flips if t - x < win) >= n

    def ack(self, rid, where, who, t):
        c = self.cells.get((rid, where))
        if c is None or c.st != "on":
            raise Missing("no such alarm standing", rule=rid, where=where)
        c.acked = who
        c.since = t
        return c

    def standing(self):
        by = {r.rid: r for r in self.rules}
        rows = [(by[k[0]], k[1], c) for k, c in self.cells.items() if c.st == "on" and k[0] in by]
        rows.sort(key=lambda x: (-RANK[x[0].sev], x[2].raised))
        return rows

    def _muted(self, route, t):
        if "mute" not in route:
            return False
        a, b = (hhmm(x) for x in route["mute"])
        m = mod(t, self.site.utc_off_h)
        return a <= m < b if a < b else (m >= a or m < b)

    def mail(self, t):
        out = []
        for r, where, c in self.standing():
            noisy = self.chatter(r.rid, where, t)
            for i, route in enumerate(self.site.routes):
                if r.sev not in route["sev"] or self._muted(route, t):
                    continue
                last = c.sent.get(i)
                rep = dur_s(route["repeat"]) if "repeat" in route else None
                if noisy and rep is not None:
                    rep *= 3
                again = last is not None and rep is not None and not c.acked and t - last >= rep
                if last is None or again:
                    c.sent[i] = t
                    out.extend((who, r, where, "again" if again else "new") for who in route["to"])
                esc = route.get("escalate")
                key = f"esc{i}"
                if esc and not c.acked and key not in c.sent and t - c.raised >= dur_s(esc["after"]):
                    c.sent[key] = t
                    out.extend((who, r, where, "escalated") for who in esc["to"])
        return squash(out)

    def dump(self):
        return [[list(k), c.__dict__] for k, c in self.cells.items()]

    @classmethod
    def undump(cls, site, rows):
        cells = {}
        for k, d in rows or []:
            d = dict(d)
            d["sent"] = {int(x) if x.isdigit() else x: v for x, v in d["sent"].items()}
            cells[tuple(k)] = Cell(**d)
        return cls(site, cells)

def squash(msgs):
    seen = {}
    for who, r, where, kind in msgs:
        k = (who, r.rid, kind)
        seen.setdefault(k, (r, []))[1].append(where)
    out = []
    for (who, rid, kind), (r, wheres) in seen.items():
        head = "ESCALATED " if kind == "escalated" else ""
        place = ", ".join(sorted(set(wheres))[:6]) + (" ..." if len(set(wheres)) > 6 else "")
        out.append({"to": who, "rule": rid, "sev": r.sev, "kind": kind, "text": f"{head}[{r.sev}] {rid} at {place}: {r.src}"})
    out.sort(key=lambda m: (-RANK[m["sev"]], m["to"]))
    return out
