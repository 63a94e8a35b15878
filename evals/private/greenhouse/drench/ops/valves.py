from dataclasses import dataclass, field

from ..model import Fault

MOVES = {
    ("shut", "open"): "opening", ("opening", "seen_flow"): "open", ("opening", "timeout"): "failed_shut",
    ("open", "close"): "closing", ("opening", "close"): "closing", ("closing", "no_flow"): "shut",
    ("closing", "timeout"): "failed_open", ("failed_shut", "reset"): "shut", ("failed_open", "reset"): "closing",
    ("open", "lost_flow"): "starved", ("starved", "seen_flow"): "open", ("starved", "close"): "closing",
    ("starved", "timeout"): "closing",
}

class BadMove(Fault):
    code = "bad_move"
    http = 409

@dataclass
class Valve:
    tag: str
    nominal: float
    st: str = "shut"
    since: int = 0
    cycles: int = 0
    log: list = field(default_factory=list)
    seen: list = field(default_factory=list)

    def fire(self, ev, t):
        nxt = MOVES.get((self.st, ev))
        if nxt is None:
            raise BadMove("valve cannot do that now", valve=self.tag, state=self.st, event=ev)
        self.log.append((t, self.st, ev, nxt))
        if nxt == "opening":
            self.cycles += 1
        self.st, self.since = nxt, t
        return nxt

    def poll(self, t, lpm, travel_s=12):
        quiet = 0.03 * self.nominal
        if self.st == "opening":
            if lpm > 0.3 * self.nominal:
                return self.fire("seen_flow", t)
            if t - self.since > travel_s:
                return self.fire("timeout", t)
        elif self.st == "closing":
            if lpm <= quiet:
                return self.fire("no_flow", t)
            if t - self.since > travel_s:
                return self.fire("timeout", t)
        elif self.st == "open":
            self.seen.append(lpm)
            if lpm < 0.2 * self.nominal and t - self.since > travel_s:
                return self.fire("lost_flow", t)
        elif self.st == "starved":
            if lpm > 0.3 * self.nominal:
                return self.fire("seen_flow", t)
            if t - self.since > 60:
                return self.fire("timeout", t)
        return self.st

def orders(plan, states, t, lead_s=2):
    cmds = []
    want = {s.line for s in plan.shots if s.t0 - lead_s <= t < s.t1 - lead_s}
    for tag, v in states.items():
        if tag in want and v.st == "shut":
            cmds.append((tag, "open"))
        elif tag not in want and v.st in ("open", "opening", "starved"):
            cmds.append((tag, "close"))
        elif v.st == "failed_open":
            cmds.append((tag, "reset"))
    cmds.sort(key=lambda c: (c[1] != "close", c[0]))
    return cmds
