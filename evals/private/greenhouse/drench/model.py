from dataclasses import dataclass, field, replace
from typing import Optional

class Fault(Exception):
    code = "fault"
    http = 500

    def __init__(self, msg, **ctx):
        super().__init__(msg)
        self.ctx = ctx

    def as_dict(self):
        return {"code": self.code, "msg": str(self), "ctx": self.ctx}

class BadConf(Fault):
    code = "bad_conf"
    http = 422

class BadFrame(Fault):
    code = "bad_frame"
    http = 400

class BadInput(Fault):
    code = "bad_input"
    http = 400

class Missing(Fault):
    code = "missing"
    http = 404

class Overdrawn(Fault):
    code = "overdrawn"
    http = 409

@dataclass(frozen=True)
class Substrate:
    name: str
    th_r: float
    th_s: float
    alpha: float
    n: float
    ksat_mm_h: float

    @property
    def m(self):
        return 1.0 - 1.0 / self.n

@dataclass(frozen=True)
class Crop:
    name: str
    kc: tuple
    t_base: float
    dryback: float
    ec_feed: float
    ec_max: float
    prio: int
    shot_ml: float
    rad_trig: float
    salt_slope: float = 0.09

@dataclass(frozen=True)
class Line:
    tag: str
    bay: str
    emitters: int
    lph: float
    pump: str
    bore_mm: float
    run_m: float
    lift_m: float = 0.0
    du: float = 0.92
    min_s: int = 45

    @property
    def lpm(self):
        return self.emitters * self.lph / 60.0

@dataclass
class Bay:
    code: str
    area_m2: float
    substrate: Substrate
    crop: Crop
    planted: int
    depth_mm: float
    plants: int
    lines: list = field(default_factory=list)
    probes: list = field(default_factory=list)
    paused: bool = False

    def age_d(self, t):
        return max(0.0, (t - self.planted) / 86400.0)

    def mm_of(self, litres):
        return litres / self.area_m2

    def litres_of(self, mm):
        return mm * self.area_m2

@dataclass(frozen=True)
class PumpCard:
    tag: str
    h0_m: float
    k2: float
    q_bep: float
    kw: float
    overhaul_h: float
    npsh_r: float
    max_starts_h: int = 6

    def head(self, lpm):
        return self.h0_m - self.k2 * lpm * lpm

@dataclass(frozen=True)
class Right:
    ref: str
    source: str
    annual_m3: float
    start_md: str
    carry_pct: float
    seniority: int
    max_lps: float
    months: tuple = ()

@dataclass(frozen=True)
class Obs:
    probe: str
    kind: str
    t: int
    v: float
    q: int = 0

    def flagged(self, bit):
        return replace(self, q=self.q | bit)

@dataclass(frozen=True)
class WxPt:
    t: int
    ta: float
    rh: float
    ghi: float
    wind: float = 0.5
    rain: float = 0.0

@dataclass(frozen=True)
class Shot:
    line: str
    t0: int
    secs: int
    litres: float
    why: str = ""
    ec: float = 0.0

    @property
    def t1(self):
        return self.t0 + self.secs

    def moved(self, t0):
        return replace(self, t0=t0)

@dataclass
class Plan:
    made: int
    t0: int
    t1: int
    shots: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    pid: Optional[int] = None

    def litres(self):
        return sum(s.litres for s in self.shots)

    def running_at(self, t):
        return [s for s in self.shots if s.t0 <= t < s.t1]

@dataclass
class Site:
    name: str
    lat: float
    lon: float
    elev_m: float
    utc_off_h: float
    bays: dict
    lines: dict
    pumps: dict
    rights: list
    quiet: list
    tou: list
    alarms: list
    routes: list
    glass: dict
    tank_m3: float
    probes: dict = field(default_factory=dict)

    def bay_of_line(self, tag):
        ln = self.lines.get(tag)
        if ln is None:
            raise Missing("no such line", line=tag)
        return self.bays[ln.bay]

    def bay(self, code):
        try:
            return self.bays[code]
        except KeyError:
            raise Missing("no such bay", bay=code) from None
