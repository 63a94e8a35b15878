import csv
import datetime as dt
import io
import math
import os

from ..model import BadInput, WxPt
from ..tick import from_iso

_ALIAS = {
    "t": ("time", "timestamp", "datetime", "date_time", "valid", "datum"),
    "ta": ("temp", "tair", "ta", "temperature", "t2m", "temp_c", "airtemp", "tt_10"),
    "rh": ("rh", "humidity", "relhum", "rel_humidity", "rf_10"),
    "ghi": ("ghi", "solar", "radiation", "srad", "globrad", "gs_10", "shortwave_radiation"),
    "wind": ("wind", "ws", "windspeed", "wind_speed", "u2", "ff_10"),
    "rain": ("rain", "precip", "precipitation", "prcp", "rws_10"),
}

def _num(txt, miss=(9999.0, -999.0)):
    txt = txt.strip().replace(",", ".")
    if txt in ("", "-", "NA", "nan", "null", "None"):
        return math.nan
    try:
        v = float(txt)
    except ValueError:
        return math.nan
    return math.nan if v in miss else v

def sniff(head):
    first = head.lstrip("\ufeff").split("\n", 1)[0]
    if first.upper().startswith("LOCATION,"):
        return "epw"
    if first.lstrip().startswith(("{", "[")):
        return "json"
    return "csv"

def read_epw(fh, year=None):
    place = {}
    out = []
    for i, row in enumerate(csv.reader(fh)):
        if not row:
            continue
        tag = row[0].strip().upper()
        if tag == "LOCATION":
            place = {"city": row[1], "lat": float(row[6]), "lon": float(row[7]), "tz": float(row[8]), "elev": float(row[9])}
            continue
        if not row[0].strip().isdigit():
            continue
        if len(row) < 22:
            raise BadInput("weather year file has a short row", row=i + 1)
        y = year or int(row[0])
        mth, d, h = int(row[1]), int(row[2]), int(row[3])
        if mth == 2 and d == 29 and not _leap(y):
            continue
        base = dt.datetime(y, mth, d, tzinfo=dt.timezone(dt.timedelta(hours=place.get("tz", 0))))
        t = int((base + dt.timedelta(hours=h - 1)).timestamp())
        ta = _num(row[6], (99.9,))
        rh = _num(row[8], (999.0,))
        ghi = _num(row[13])
        ws = _num(row[21], (999.0,))
        rain = _num(row[33], (999.0,)) if len(row) > 33 else 0.0
        out.append(WxPt(t, ta, rh, 0.0 if math.isnan(ghi) else ghi, 1.0 if math.isnan(ws) else ws, 0.0 if math.isnan(rain) else rain))
    if not out:
        raise BadInput("weather year file holds no hours")
    return place, out

def _leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)

def map_cols(header):
    got = {}
    for i, h in enumerate(header):
        name = h.strip().lower().replace(" ", "_")
        unit = ""
        for a, b in (("(", ")"), ("[", "]")):
            if a in name:
                unit = name[name.index(a) + 1:].rstrip(b)
                name = name[:name.index(a)].rstrip("_")
        for key, al in _ALIAS.items():
            if name in al and key not in got:
                got[key] = (i, unit)
    if "t" not in got or "ta" not in got:
        raise BadInput("weather table needs at least time and temperature", header=header)
    return got

def read_csv(fh, off_h=0.0):
    txt = fh.read()
    head = txt.split("\n", 1)[0]
    delim = max(";,\t", key=head.count)
    rd = csv.reader(io.StringIO(txt.lstrip("\ufeff")), delimiter=delim)
    cols = map_cols(next(rd))
    out = []
    for row in rd:
        if not row or row[0].startswith("#"):
            continue
        v = {}
        for key, (i, unit) in cols.items():
            if i >= len(row):
                v[key] = math.nan if key != "t" else None
            elif key == "t":
                v[key] = from_iso(row[i].replace("/", "-"), off_h)
            else:
                v[key] = _rescale(key, _num(row[i]), unit)
        if v["t"] is None:
            continue
        out.append(WxPt(v["t"], v["ta"], v.get("rh", math.nan), max(0.0, v.get("ghi", 0.0)), v.get("wind", 1.0), v.get("rain", 0.0)))
    return sorted(out, key=lambda w: w.t)

def _rescale(key, v, unit):
    if key == "ta" and unit in ("f", "degf"):
        return (v - 32.0) / 1.8
    if key == "ta" and unit == "k":
        return v - 273.15
    if key == "ghi" and unit in ("mj/m2", "mj"):
        return v * 1e6 / 3600.0
    if key == "ghi" and unit in ("j/cm2", "j"):
        return v * 10000.0 / 3600.0
    if key == "wind" and unit in ("km/h", "kmh"):
        return v / 3.6
    if key == "wind" and unit in ("kt", "kn", "knots"):
        return v * 0.5144
    return v

def read_any(path, off_h=0.0, year=None):
    if not os.path.exists(path):
        raise BadInput("weather file not found", path=path)
    with open(path, encoding="utf-8", errors="replace", newline="") as fh:
        kind = sniff(fh.read(400))
        fh.seek(0)
        if kind == "epw":
            return kind, read_epw(fh, year)[1]
        if kind == "csv":
            return kind, read_csv(fh, off_h)
    raise BadInput("weather file format not handled", path=path, kind=kind)
