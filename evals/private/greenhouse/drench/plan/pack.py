import heapq
import math
from collections import defaultdict

from ..model import Shot
from ..tick import Span, carve, weld
from . import hyd
from .windows import fit_in, open_spans

GAP_S = 10

def split(ask, bay, lines):
    tot = sum(l.lpm for l in lines)
    out = []
    for l in lines:
        litres = bay.litres_of(ask.mm) * l.lpm / tot
        secs = max(l.min_s, int(math.ceil(litres / l.lpm * 60.0 / max(l.du, 0.5) * 0.95)))
        out.append((l, secs, litres))
    return out

class Board:
    def __init__(self, site, wear=None, dead=()):
        self.site = site
        self.wear = wear or {}
        self.dead = set(dead)
        self.runs = defaultdict(list)
        self.line_busy = defaultdict(list)
        self.starts = defaultdict(list)

    def wear_of(self, pump):
        return self.wear.get(pump, 1.0)

    def mates_in(self, pump, a, b):
        return [(s, l) for s, l in self.runs[pump] if s.a < b and a < s.b]

    def clashes(self, line, a, b):
        near = self.mates_in(line.pump, a, b)
        if not near:
            return []
        card = self.site.pumps[line.pump]
        edges = sorted({a, b} | {max(a, s.a) for s, _ in near} | {min(b, s.b) for s, _ in near})
        bad = []
        for x, y in zip(edges, edges[1:]):
            on = [l for s, l in near if s.a < y and x < s.b]
            if on and not hyd.can_join(card, on + [line], self.wear_of(line.pump)):
                bad.append(Span(x, y))
        return weld(bad)

    def adds_start(self, pump, a, b):
        return not any(s.a - GAP_S <= b and a <= s.b + GAP_S for s, _ in self.runs[pump])

    def starts_left(self, pump, t):
        lim = self.site.pumps[pump].max_starts_h
        n = sum(1 for x in self.starts[pump] if t - 3600 < x < t + 3600)
        return lim - n

    def place(self, line, secs, early, late, spans):
        if line.tag in self.dead or line.pump in self.dead:
            return None
        free = carve(spans, [Span(s.a - GAP_S, s.b + GAP_S) for s in self.line_busy[line.tag]])
        bumps = 0
        t = early
        while bumps < 60:
            a = fit_in(free, secs, t, late)
            if a is None:
                return None
            hit = self.clashes(line, a, a + secs)
            if hit:
                t = hit[-1].b + GAP_S
                if t > late:
                    return None
                bumps += 1
                continue
            if self.adds_start(line.pump, a, a + secs) and self.starts_left(line.pump, a) <= 0:
                t = a + 120
                if t > late:
                    return None
                bumps += 1
                continue
            return a
        return None

    def book(self, line, a, secs):
        s = Span(a, a + secs)
        if self.adds_start(line.pump, s.a, s.b):
            self.starts[line.pump].append(a)
        self.runs[line.pump].append((s, line))
        self.line_busy[line.tag].append(s)

def pack(site, asks, t0, t1, wear=None, dead=(), holds=None):
    board = Board(site, wear, dead)
    spans = {b.code: open_spans(site, b, t0, t1 + 7200, (holds or {}).get(b.code, ())) for b in site.bays.values()}
    heap = []
    for i, a in enumerate(asks):
        heapq.heappush(heap, (a.early, -a.prio, i, a))
    shots, missed = [], []
    while heap:
        _, _, _, a = heapq.heappop(heap)
        bay = site.bay(a.bay)
        lines = [site.lines[t] for t in bay.lines if t not in board.dead]
        if not lines:
            missed.append((a, "no working line"))
            continue
        for line, secs, litres in split(a, bay, lines):
            at = board.place(line, secs, a.early, a.late, spans[bay.code])
            if at is None and a.prio >= 3:
                at = board.place(line, secs, a.early, a.late + 3600, spans[bay.code])
            if at is None:
                missed.append((a, f"no room on {line.tag}"))
                continue
            board.book(line, at, secs)
            shots.append(Shot(line.tag, at, secs, round(litres, 2), a.why, a.ec))
    shots.sort(key=lambda s: (s.t0, s.line))
    return shots, missed

def bunch(site, shots, pull_s=600):
    by_pump = defaultdict(list)
    for s in shots:
        by_pump[site.lines[s.line].pump].append(s)
    out = []
    for p, ss in by_pump.items():
        ss.sort(key=lambda s: s.t0)
        card = site.pumps[p]
        end = None
        for s in ss:
            if end is not None and 0 < s.t0 - end <= pull_s:
                cand = s.moved(end + GAP_S)
                bay = site.bay_of_line(s.line)
                ok = any(w.a <= cand.t0 and cand.t1 <= w.b for w in open_spans(site, bay, cand.t0 - 60, cand.t1 + 60))
                prior = [x for x in out if x.line == s.line and x.t1 + GAP_S > cand.t0]
                over = [site.lines[x.line] for x in out if site.lines[x.line].pump == p and x.t0 < cand.t1 and cand.t0 < x.t1]
                if ok and not prior and (not over or hyd.can_join(card, over + [site.lines[s.line]])):
                    s = cand
            out.append(s)
            end = s.t1 if end is None else max(end, s.t1)
    return sorted(out, key=lambda s: (s.t0, s.line))

def peak_lpm(site, shots):
    ev = []
    for s in shots:
        q = site.lines[s.line].lpm
        ev.append((s.t0, q))
        ev.append((s.t1, -q))
    ev.sort()
    cur = top = 0.0
    when = None
    for t, q in ev:
        cur += q
        if cur > top + 1e-9:
            top, when = cur, t
    return top, when
