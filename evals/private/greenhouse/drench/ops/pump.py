import math
from dataclasses import dataclass, field

from ..tick import DAY
from ..units import clamp, lerp_tab

STRESS = ((0.0, 6.0), (0.3, 3.2), (0.6, 1.5), (0.85, 1.05), (1.0, 1.0), (1.15, 1.15), (1.35, 2.0), (1.6, 4.5))

@dataclass
class Wear:
    card: object
    hours: float = 0.0
    eqh: float = 0.0
    starts: int = 0
    dry_s: float = 0.0
    base_head: float = 1.0
    vib: list = field(default_factory=list)
    tests: list = field(default_factory=list)

    @classmethod
    def from_blob(cls, card, d):
        d = d or {}
        return cls(card, d.get("hours", 0.0), d.get("eqh", 0.0), d.get("starts", 0), d.get("dry_s", 0.0),
                   d.get("base_head", 1.0), list(d.get("vib", [])), list(d.get("tests", [])))

    def to_blob(self):
        return {"hours": self.hours, "eqh": self.eqh, "starts": self.starts, "dry_s": self.dry_s,
                "base_head": self.base_head, "vib": self.vib[-60:], "tests": self.tests[-40:]}

    def run(self, secs, lpm, sand_ppm=0.0, hot_c=0.0):
        h = secs / 3600.0
        f = lerp_tab(STRESS, lpm / self.card.q_bep)
        f *= 1.0 + sand_ppm / 25.0
        if hot_c > 40:
            f *= 2 ** ((hot_c - 40) / 10.0)
        self.hours += h
        self.eqh += h * f
        return f

    def started(self, soft=False):
        self.starts += 1
        self.eqh += 0.15 if soft else 0.4

    def frac(self):
        return self.eqh / self.card.overhaul_h

    def head_factor(self):
        if len(self.tests) >= 3:
            recent = [r for _, r in self.tests[-3:]]
            return clamp(sum(recent) / 3, 0.5, 1.05)
        return clamp(self.base_head - 0.12 * self.frac() ** 1.5, 0.5, 1.0)

    def test(self, t, lpm, head_m):
        want = self.card.head(lpm)
        if want <= 0:
            return None
        r = head_m / want
        self.tests.append((t, round(r, 4)))
        return r

    def vib_add(self, t, mm_s):
        self.vib.append((t, mm_s))

    def vib_zone(self):
        if not self.vib:
            return "?"
        v = sum(x for _, x in self.vib[-3:]) / len(self.vib[-3:])
        return "A" if v < 1.4 else "B" if v < 2.8 else "C" if v < 4.5 else "D"

    def verdict(self):
        z = self.vib_zone()
        if z == "D" or self.head_factor() < 0.72 or self.frac() > 1.35:
            return "stop"
        if z == "C" or self.head_factor() < 0.85 or self.frac() > 0.9:
            return "soon"
        return "ok"

    def due(self, now, eqh_per_day):
        left = self.card.overhaul_h - self.eqh
        by_hours = now + left / eqh_per_day * DAY if eqh_per_day > 0 else math.inf
        by_head = math.inf
        fit = self.trend(self.tests)
        if fit is not None and fit[1] < -1e-12:
            by_head = (0.85 - fit[0]) / fit[1]
        by_vib = math.inf
        fit = self.trend(self.vib)
        if fit is not None and fit[1] > 1e-12:
            by_vib = (4.5 - fit[0]) / fit[1]
        t = min(by_hours, by_head, by_vib)
        if math.isinf(t):
            return None, "never"
        return int(max(now, t)), ("hours", "head", "vib")[[by_hours, by_head, by_vib].index(t)]

    @staticmethod
    def trend(rows):
        n = len(rows)
        if n < 4:
            return None
        tm = sum(t for t, _ in rows) / n
        ym = sum(y for _, y in rows) / n
        sxx = sum((t - tm) ** 2 for t, _ in rows)
        if sxx == 0:
            return None
        b = sum((t - tm) * (y - ym) for t, y in rows) / sxx
        return ym - b * tm, b

def book_plan(site, shots, wears):
    by = {}
    for s in shots:
        by.setdefault(site.lines[s.line].pump, []).append(s)
    for tag, ss in by.items():
        w = wears[tag]
        marks = sorted({x for s in ss for x in (s.t0, s.t1)})
        was_on = False
        for a, b in zip(marks, marks[1:]):
            q = sum(site.lines[s.line].lpm for s in ss if s.t0 < b and a < s.t1)
            if q > 0:
                if not was_on:
                    w.started()
                w.run(b - a, q)
            was_on = q > 0 or (was_on and b - a <= 15)
    return wears
