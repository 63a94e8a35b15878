import datetime as dt
import math
from typing import NamedTuple

from .model import BadInput

DAY = 86400
_UTC = dt.timezone.utc

class Span(NamedTuple):
    a: int
    b: int

    @property
    def secs(self):
        return self.b - self.a

    def hits(self, o):
        return self.a < o.b and o.a < self.b

    def has(self, t):
        return self.a <= t < self.b

def iso(t):
    return dt.datetime.fromtimestamp(t, _UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

def from_iso(txt, off_h=0.0):
    txt = txt.strip()
    if txt.isdigit() and len(txt) > 8:
        return int(txt)
    z = txt.replace("Z", "+00:00")
    try:
        d = dt.datetime.fromisoformat(z)
    except ValueError:
        raise BadInput("cannot read time", text=txt) from None
    if d.tzinfo is None:
        d = d.replace(tzinfo=dt.timezone(dt.timedelta(hours=off_h)))
    return int(d.timestamp())

def midnight(t, off_h):
    o = int(off_h * 3600)
    return (t + o) // DAY * DAY - o

def mod(t, off_h):
    return (t - midnight(t, off_h)) // 60

def doy(t, off_h=0.0):
    return dt.datetime.fromtimestamp(t + off_h * 3600, _UTC).timetuple().tm_yday

def month(t, off_h=0.0):
    return dt.datetime.fromtimestamp(t + off_h * 3600, _UTC).month

def wday(t, off_h=0.0):
    return dt.datetime.fromtimestamp(t + off_h * 3600, _UTC).weekday()

def hhmm(txt):
    try:
        h, m = txt.split(":")
        v = int(h) * 60 + int(m)
    except ValueError:
        raise BadInput("cannot read clock time", text=txt) from None
    if not 0 <= v <= 1440:
        raise BadInput("clock time out of range", text=txt)
    return v

def year_open(t, start_md):
    mth, day = (int(x) for x in start_md.split("-"))
    d = dt.datetime.fromtimestamp(t, _UTC)
    y = d.year
    cand = dt.datetime(y, mth, day, tzinfo=_UTC)
    if cand > d:
        y -= 1
        cand = cand.replace(year=y)
    nxt = cand.replace(year=y + 1)
    return Span(int(cand.timestamp()), int(nxt.timestamp()))

def sun_decl(n):
    return 0.409 * math.sin(2 * math.pi * n / 365.0 - 1.39)

def sun_span(t, lat, lon, off_h):
    n = doy(t, off_h)
    dec = sun_decl(n)
    phi = math.radians(lat)
    x = -math.tan(phi) * math.tan(dec)
    m0 = midnight(t, off_h)
    if x >= 1:
        return Span(m0 + DAY // 2, m0 + DAY // 2)
    if x <= -1:
        return Span(m0, m0 + DAY)
    ws = math.acos(x)
    b = 2 * math.pi * (n - 81) / 364.0
    eot_min = 9.87 * math.sin(2 * b) - 7.53 * math.cos(b) - 1.5 * math.sin(b)
    noon = m0 + int((12 - (lon / 15.0 - off_h) - eot_min / 60.0) * 3600)
    half = int(ws * 12 / math.pi * 3600)
    return Span(noon - half, noon + half)

def weld(spans, gap=0):
    out = []
    for s in sorted(spans):
        if s.b <= s.a:
            continue
        if out and s.a <= out[-1].b + gap:
            if s.b > out[-1].b:
                out[-1] = Span(out[-1].a, s.b)
        else:
            out.append(Span(s.a, s.b))
    return out

def carve(base, holes):
    out = []
    holes = weld(holes)
    for s in weld(base):
        cur = s.a
        for h in holes:
            if h.b <= cur:
                continue
            if h.a >= s.b:
                break
            if h.a > cur:
                out.append(Span(cur, h.a))
            cur = max(cur, h.b)
            if cur >= s.b:
                break
        if cur < s.b:
            out.append(Span(cur, s.b))
    return out

def common(xs, ys):
    out = []
    i = j = 0
    xs, ys = weld(xs), weld(ys)
    while i < len(xs) and j < len(ys):
        a = max(xs[i].a, ys[j].a)
        b = min(xs[i].b, ys[j].b)
        if a < b:
            out.append(Span(a, b))
        if xs[i].b < ys[j].b:
            i += 1
        else:
            j += 1
    return out

def daily_spans(t0, t1, m_from, m_to, off_h, days=None):
    out = []
    d = midnight(t0, off_h) - DAY
    while d < t1:
        if days is None or wday(d + 60, off_h) in days:
            a = d + m_from * 60
            b = d + m_to * 60
            if m_to <= m_from:
                b += DAY
            a, b = max(a, t0), min(b, t1)
            if a < b:
                out.append(Span(a, b))
        d += DAY
    return weld(out)
