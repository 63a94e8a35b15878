import json
import os

from . import units
from .model import BadConf, Bay, Crop, Line, PumpCard, Right, Site, Substrate
from .tick import from_iso, hhmm

SUBSTRATES = {
    "coir": Substrate("coir", 0.10, 0.86, 0.032, 1.62, 900.0),
    "rockwool": Substrate("rockwool", 0.02, 0.92, 0.085, 2.45, 1500.0),
    "perlite": Substrate("perlite", 0.11, 0.62, 0.070, 1.75, 2600.0),
    "peat": Substrate("peat", 0.14, 0.88, 0.024, 1.42, 260.0),
    "loam": Substrate("loam", 0.07, 0.43, 0.036, 1.56, 10.4),
}

CROPS = {
    "tomato": Crop("tomato", ((0, 0.35), (400, 0.6), (900, 1.05), (2200, 1.15), (3200, 0.85)), 10.0, 0.10, 2.8, 4.5, 3, 110.0, 95.0, 0.099),
    "cucumber": Crop("cucumber", ((0, 0.4), (300, 0.8), (700, 1.1), (1600, 1.0)), 12.0, 0.07, 2.4, 3.6, 3, 120.0, 80.0, 0.13),
    "pepper": Crop("pepper", ((0, 0.35), (500, 0.75), (1100, 1.05), (2600, 0.95)), 10.0, 0.09, 2.5, 3.8, 2, 100.0, 100.0, 0.14),
    "lettuce": Crop("lettuce", ((0, 0.5), (250, 0.8), (550, 1.0)), 4.0, 0.05, 1.6, 2.4, 1, 45.0, 70.0, 0.13),
    "gerbera": Crop("gerbera", ((0, 0.45), (600, 0.85), (1500, 0.95)), 8.0, 0.08, 1.8, 2.6, 2, 70.0, 90.0, 0.12),
}

def load(path):
    if not os.path.exists(path):
        raise BadConf("site file not found", path=path)
    with open(path, encoding="utf-8") as fh:
        try:
            raw = json.load(fh)
        except json.JSONDecodeError as e:
            raise BadConf("site file is not JSON", path=path, line=e.lineno, col=e.colno) from None
    return build(_overlay(raw, os.environ))

def _overlay(raw, env):
    out = json.loads(json.dumps(raw))
    for k, v in env.items():
        if not k.startswith("DRENCH__"):
            continue
        path = [p.lower() for p in k[len("DRENCH__"):].split("__")]
        node = out
        for p in path[:-1]:
            if isinstance(node, list):
                node = node[int(p)]
            else:
                node = node.setdefault(p, {})
        try:
            val = json.loads(v)
        except json.JSONDecodeError:
            val = v
        if isinstance(node, list):
            node[int(path[-1])] = val
        else:
            node[path[-1]] = val
    return out

def _pick_substrate(spec, code):
    if isinstance(spec, str):
        if spec not in SUBSTRATES:
            raise BadConf("unknown substrate", bay=code, substrate=spec)
        return SUBSTRATES[spec]
    base = SUBSTRATES[spec.get("base", "coir")]
    d = {k: spec.get(k, getattr(base, k)) for k in ("th_r", "th_s", "alpha", "n", "ksat_mm_h")}
    if not 0 <= d["th_r"] < d["th_s"] <= 1 or d["n"] <= 1:
        raise BadConf("substrate constants make no sense", bay=code, **d)
    return Substrate(spec.get("name", "custom"), **d)

def _pick_crop(spec, code):
    if isinstance(spec, str):
        spec = {"base": spec}
    base = CROPS.get(spec.get("base"))
    if base is None:
        raise BadConf("unknown crop", bay=code, crop=spec.get("base"))
    d = dict(base.__dict__)
    for k, v in spec.items():
        if k == "base":
            continue
        if k not in d:
            raise BadConf("crop has no such setting", bay=code, key=k)
        d[k] = tuple(tuple(p) for p in v) if k == "kc" else v
    if any(b[0] <= a[0] for a, b in zip(d["kc"], d["kc"][1:])):
        raise BadConf("kc stages must rise", bay=code)
    return Crop(**d)

def _mk_lines(raw, bay_code, pumps):
    out = []
    for r in raw:
        if r["pump"] not in pumps:
            raise BadConf("line hangs on unknown pump", line=r["tag"], pump=r["pump"])
        out.append(Line(
            tag=r["tag"], bay=bay_code, emitters=int(r["emitters"]),
            lph=units.qty(r["emit"], "flow", "l/h") * 60.0 if isinstance(r["emit"], str) else float(r["emit"]),
            pump=r["pump"],
            bore_mm=units.qty(r.get("bore", 32), "len", "mm"),
            run_m=units.qty(r.get("run", 40), "len", "m") / (1000.0 if isinstance(r.get("run"), str) else 1.0),
            lift_m=float(r.get("lift_m", 0.0)), du=float(r.get("du", 0.92)),
            min_s=units.dur_s(r.get("min", 45)),
        ))
    return out

def _mk_right(r):
    yr = r["annual"]
    m3 = units.qty(yr, "vol") / 1000.0 if isinstance(yr, str) else float(yr)
    if m3 <= 0:
        raise BadConf("right with no water in it", ref=r["ref"])
    return Right(
        r["ref"], r.get("source", "well"), m3, r.get("start", "01-01"),
        float(r.get("carry_pct", 0)), int(r.get("seniority", 99)),
        float(r.get("max_lps", 1e9)), tuple(r.get("months", ())),
    )

def _mk_tou(rows):
    out = []
    for r in rows:
        out.append({
            "name": r["name"], "from": hhmm(r["from"]), "to": hhmm(r["to"]),
            "days": set(r["days"]) if "days" in r else None,
            "eur_kwh": float(r["eur_kwh"]),
        })
    return out

def build(raw):
    for k in ("name", "lat", "lon", "bays", "pumps"):
        if k not in raw:
            raise BadConf("site file lacks a section", key=k)
    off = float(raw.get("utc_off_h", 0))
    pumps = {}
    for r in raw["pumps"]:
        pumps[r["tag"]] = PumpCard(
            r["tag"], float(r["h0_m"]), float(r["k2"]), float(r["q_bep"]), float(r["kw"]),
            float(r.get("overhaul_h", 4000)), float(r.get("npsh_r", 3.0)), int(r.get("max_starts_h", 6)))
    bays, lines, probes = {}, {}, {}
    for r in raw["bays"]:
        code = r["code"]
        if code in bays:
            raise BadConf("bay listed twice", bay=code)
        b = Bay(
            code, float(r["area_m2"]), _pick_substrate(r["substrate"], code), _pick_crop(r["crop"], code),
            from_iso(r["planted"], off), float(r.get("depth_mm", 75)), int(r.get("plants", r["area_m2"] * 2.5)),
            paused=bool(r.get("paused", False)))
        for ln in _mk_lines(r["lines"], code, pumps):
            if ln.tag in lines:
                raise BadConf("line listed twice", line=ln.tag)
            lines[ln.tag] = ln
            b.lines.append(ln.tag)
        for p in r.get("probes", []):
            probes[p["id"]] = {"bay": code, "kind": p.get("kind", "vwc"), "cal": p.get("cal"), "w": float(p.get("w", 1.0))}
            b.probes.append(p["id"])
        bays[code] = b
    site = Site(
        raw["name"], float(raw["lat"]), float(raw["lon"]), float(raw.get("elev_m", 0)), off,
        bays, lines, pumps, [_mk_right(r) for r in raw.get("rights", [])],
        raw.get("quiet", []), _mk_tou(raw.get("tou", [])), raw.get("alarms", []), raw.get("routes", []),
        raw.get("glass", {}), float(raw.get("tank_m3", 50)), probes)
    lint = sanity(site)
    if lint:
        raise BadConf("site does not add up", findings=lint)
    return site

def sanity(site):
    out = []
    for ln in site.lines.values():
        p = site.pumps[ln.pump]
        if ln.lpm > 1.6 * p.q_bep:
            out.append(f"{ln.tag}: wants {ln.lpm:.0f} l/min, pump {p.tag} is good for {1.6 * p.q_bep:.0f}")
        if p.head(ln.lpm) < ln.lift_m + 5:
            out.append(f"{ln.tag}: pump {p.tag} cannot lift that far")
        if not 0.5 <= ln.du <= 1.0:
            out.append(f"{ln.tag}: distribution uniformity {ln.du} is out of range")
    for b in site.bays.values():
        if not b.lines:
            out.append(f"{b.code}: no line waters it")
        if b.area_m2 <= 0 or b.depth_mm <= 0:
            out.append(f"{b.code}: area and depth must be positive")
    seen = set()
    for r in site.rights:
        if r.ref in seen:
            out.append(f"right {r.ref} listed twice")
        seen.add(r.ref)
    return out

def demo_raw():
    def bay(code, area, sub, crop, pump, n, emit, planted):
        return {
            "code": code, "area_m2": area, "substrate": sub, "crop": crop, "planted": planted,
            "lines": [{"tag": f"{code}-{i + 1}", "emitters": int(area * 2.5 / n), "emit": emit, "pump": pump,
                       "bore": 40, "run": 45 + 10 * i, "lift_m": 1.5} for i in range(n)],
            "probes": [{"id": f"{code}.v{i}", "kind": "vwc"} for i in range(3)]
                      + [{"id": f"{code}.ec", "kind": "ec"}, {"id": f"{code}.t", "kind": "temp"}],
        }
    return {
        "name": "Noordhoek", "lat": 51.98, "lon": 4.21, "elev_m": -1, "utc_off_h": 1, "tank_m3": 120,
        "glass": {"tau": 0.68, "heat_k": 6.5, "vent_t": 24.0, "rh_in": 74},
        "pumps": [
            {"tag": "P1", "h0_m": 46, "k2": 0.00045, "q_bep": 150, "kw": 3.0, "overhaul_h": 3500},
            {"tag": "P2", "h0_m": 40, "k2": 0.0009, "q_bep": 95, "kw": 2.2, "overhaul_h": 3000, "max_starts_h": 8},
        ],
        "bays": [
            bay("N1", 900, "rockwool", "tomato", "P1", 2, 3.0, "2024-01-20"),
            bay("N2", 850, "coir", "pepper", "P1", 2, 3.0, "2024-02-10"),
            bay("S1", 620, "coir", "cucumber", "P2", 2, 2.5, "2024-03-01"),
            bay("S2", 400, "peat", "lettuce", "P2", 1, 2.0, "2024-04-12"),
        ],
        "rights": [
            {"ref": "WR-1187", "source": "well", "annual": 9500, "start": "01-01", "carry_pct": 15, "seniority": 1, "max_lps": 6},
            {"ref": "RAIN", "source": "basin", "annual": 4000, "start": "10-01", "seniority": 2, "max_lps": 4, "months": [3, 4, 5, 6, 7, 8, 9]},
        ],
        "quiet": [{"from": "22:30", "to": "04:30", "why": "night"}, {"from": "12:00", "to": "12:30", "bays": ["N1"], "why": "picking"}],
        "tou": [
            {"name": "peak", "from": "17:00", "to": "21:00", "days": [0, 1, 2, 3, 4], "eur_kwh": 0.41},
            {"name": "off", "from": "00:00", "to": "07:00", "eur_kwh": 0.17},
            {"name": "mid", "from": "07:00", "to": "24:00", "eur_kwh": 0.26},
        ],
        "alarms": [
            {"id": "dry", "when": "vwc < 0.30 and dvwc <= 0", "clear": "vwc > 0.36", "hold": "10m", "sev": "high"},
            {"id": "salty", "when": "ec > ec_max * 1.15", "clear": "ec < ec_max", "hold": "30m", "sev": "mid"},
            {"id": "deaf", "when": "age > 3600", "hold": "0s", "sev": "low"},
        ],
        "routes": [
            {"sev": ["high"], "to": ["duty", "grower"], "repeat": "20m", "escalate": {"after": "45m", "to": ["manager"]}},
            {"sev": ["mid"], "to": ["grower"], "mute": ["21:00", "06:30"]},
            {"sev": ["low"], "to": ["log"]},
        ],
    }
