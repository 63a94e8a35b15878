import math
from collections import defaultdict

from ..model import Overdrawn
from ..tick import DAY, month, year_open
from ..units import clamp

SEASON = (0.03, 0.04, 0.07, 0.09, 0.12, 0.14, 0.15, 0.13, 0.10, 0.07, 0.04, 0.02)

class Book:
    def __init__(self, site, draws):
        self.site = site
        self.rights = sorted(site.rights, key=lambda r: (r.seniority, r.ref))
        self.draws = defaultdict(list)
        for ref, t, litres in draws:
            self.draws[ref].append((t, litres))

    def used_l(self, r, a, b):
        return sum(l for t, l in self.draws[r.ref] if a <= t < b)

    def carried_l(self, r, t):
        if r.carry_pct <= 0:
            return 0.0
        yr = year_open(t, r.start_md)
        prev = year_open(yr.a - DAY, r.start_md)
        seen = [x for x, _ in self.draws[r.ref]]
        if not seen or min(seen) >= yr.a:
            return 0.0
        left = r.annual_m3 * 1000.0 - self.used_l(r, prev.a, prev.b)
        return clamp(left, 0.0, r.annual_m3 * 10.0 * r.carry_pct)

    def left_l(self, r, t):
        yr = year_open(t, r.start_md)
        return r.annual_m3 * 1000.0 + self.carried_l(r, t) - self.used_l(r, yr.a, min(yr.b, t + 1))

    def live(self, r, t):
        return not r.months or month(t, self.site.utc_off_h) in r.months

    def season_left(self, r, t):
        yr = year_open(t, r.start_md)
        ok = set(r.months) if r.months else set(range(1, 13))
        tot = now = 0.0
        d = yr.a
        while d < yr.b:
            m = month(d, self.site.utc_off_h)
            if m in ok:
                w = SEASON[m - 1] / 30.4
                tot += w
                if d >= t - DAY / 2:
                    now += w
            d += DAY
        return now / tot if tot else 0.0

    def pace(self, r, t):
        share = self.season_left(r, t)
        total = r.annual_m3 * 1000.0 + self.carried_l(r, t)
        target_left = total * share
        return self.left_l(r, t) - target_left

    def day_allow_l(self, a, b, stretch=1.35):
        if not self.rights:
            return math.inf
        tot = 0.0
        for r in self.rights:
            if not self.live(r, a):
                continue
            left = self.left_l(r, a)
            if left <= 0:
                continue
            share = self.season_left(r, a)
            m = month(a, self.site.utc_off_h)
            days = (b - a) / DAY
            today = SEASON[m - 1] / 30.4 * days
            norm = sum(SEASON[x - 1] for x in (r.months or range(1, 13)))
            even = left * (today / norm) / share if share > 1e-6 else left
            lim = min(left, even * stretch, r.max_lps * (b - a))
            tot += lim
        return tot

    def take(self, t, litres, secs=3600, strict=True):
        parts = []
        rest = litres
        for r in self.rights:
            if rest <= 1e-9:
                break
            if not self.live(r, t):
                continue
            can = min(self.left_l(r, t), r.max_lps * secs, rest)
            if can <= 0:
                continue
            parts.append((r.ref, t, can))
            rest -= can
        if rest > 1e-6 and strict:
            raise Overdrawn("not enough water left under any right", short_l=round(rest, 1))
        for ref, tt, l in parts:
            self.draws[ref].append((tt, l))
        return parts, max(0.0, rest)

    def runs_out(self, r, t, lookback=14):
        used = self.used_l(r, t - lookback * DAY, t)
        rate0 = used / lookback
        if rate0 <= 0:
            return None
        m0 = month(t, self.site.utc_off_h)
        left = self.left_l(r, t)
        end = year_open(t, r.start_md).b
        d = t
        while d < end:
            f = SEASON[month(d, self.site.utc_off_h) - 1] / SEASON[m0 - 1]
            left -= rate0 * f
            if left <= 0:
                return int(d)
            d += DAY
        return None

    def statement(self, t):
        rows = []
        for r in self.rights:
            yr = year_open(t, r.start_md)
            rows.append({
                "ref": r.ref, "source": r.source, "granted_m3": r.annual_m3,
                "carried_m3": round(self.carried_l(r, t) / 1000, 1),
                "used_m3": round(self.used_l(r, yr.a, yr.b) / 1000, 1),
                "left_m3": round(self.left_l(r, t) / 1000, 1),
                "ahead_m3": round(self.pace(r, t) / 1000, 1),
                "open": self.live(r, t), "runs_out": self.runs_out(r, t),
            })
        return rows
