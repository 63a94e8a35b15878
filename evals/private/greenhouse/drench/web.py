import gzip
import hashlib
import hmac
import json
import math
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from .agro import retention as rt, salt
from .model import BadInput, Fault, Missing, Obs
from .ops.latch import Desk
from .ops.pump import Wear
from .ops.rights import Book
from .plan import engine as eng
from .tick import DAY, from_iso, iso

MAX_BODY = 1 << 20

def plain(x):
    if isinstance(x, float):
        return None if math.isnan(x) or math.isinf(x) else x
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple, set)):
        return [plain(v) for v in x]
    if hasattr(x, "__dataclass_fields__"):
        return {k: plain(getattr(x, k)) for k in x.__dataclass_fields__}
    return x

class Router:
    def __init__(self):
        self.tab = []

    def on(self, verb, pat):
        rx = re.compile("^" + re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", pat) + "$")

        def deco(fn):
            self.tab.append((verb, rx, fn))
            return fn
        return deco

    def find(self, verb, path):
        other = False
        for v, rx, fn in self.tab:
            hit = rx.match(path)
            if hit:
                if v == verb:
                    return fn, {k: unquote(x) for k, x in hit.groupdict().items()}
                other = True
        e = Missing("no such address", path=path)
        if other:
            e.http = 405
        raise e

R = Router()

class Bucket:
    def __init__(self, rate=5.0, burst=20):
        self.rate = rate
        self.burst = burst
        self.who = {}

    def ok(self, ip, now=None):
        now = time.monotonic() if now is None else now
        n, t = self.who.get(ip, (float(self.burst), now))
        n = min(self.burst, n + (now - t) * self.rate)
        if n < 1.0:
            self.who[ip] = (n, now)
            return False
        self.who[ip] = (n - 1.0, now)
        if len(self.who) > 4096:
            for k in sorted(self.who, key=lambda k: self.who[k][1])[:1024]:
                del self.who[k]
        return True

class App:
    def __init__(self, site, db, token=None, clock=time.time):
        self.site = site
        self.db = db
        self.token = token
        self.clock = clock
        self.bucket = Bucket()

    def now(self):
        return int(self.clock())

    def desk(self):
        return Desk.undump(self.site, self.db.get_blob("alarm_cells"))

def span_of(q, now, back=DAY, cap=31 * DAY):
    a = from_iso(q["from"]) if "from" in q else now - back
    b = from_iso(q["to"]) if "to" in q else now
    if b <= a:
        raise BadInput("period ends before it starts", a=a, b=b)
    if b - a > cap:
        raise BadInput("period too long", days=(b - a) // DAY)
    return a, b

@R.on("GET", "/api/bays")
def bays(app, q, body):
    e = eng.Engine(app.site, app.db, app.now())
    vs = e.views()
    out = []
    for code, b in app.site.bays.items():
        v = vs[code]
        out.append({
            "code": code, "crop": b.crop.name, "area": b.area_m2, "vwc": v.vwc, "ec": v.ec, "age_s": v.age,
            "refill_at": round(rt.refill_point(b.substrate, b.depth_mm, b.crop.dryback), 3), "paused": b.paused,
        })
    return out

@R.on("POST", "/api/bays/<code>/pause")
def pause(app, q, body, code):
    b = app.site.bay(code)
    b.paused = bool(body.get("on", True))
    app.db.note(app.now(), "pause", code, on=b.paused, who=body.get("who", "?"))
    return {"code": code, "paused": b.paused}

@R.on("GET", "/api/plan")
def plan_now(app, q, body):
    p = app.db.load_plan(int(q["id"]) if "id" in q else None)
    return {"id": p.pid, "made": iso(p.made), "shots": p.shots, "notes": p.notes, "cost": eng.costing(app.site, p), "fp": eng.fingerprint(p)}

@R.on("POST", "/api/plan")
def plan_make(app, q, body):
    hours = float(body.get("hours", 24))
    if not 1 <= hours <= 96:
        raise BadInput("planning horizon must be 1 to 96 hours", hours=hours)
    e = eng.Engine(app.site, app.db, app.now())
    p = e.make(hours, tank_l=body.get("tank_l"))
    try:
        old = app.db.load_plan()
        p = eng.settle(old, p, app.now())
    except Missing:
        pass
    if not body.get("dry"):
        app.db.save_plan(p)
    return {"id": p.pid, "n": len(p.shots), "cost": eng.costing(app.site, p), "notes": p.notes}

@R.on("GET", "/api/why/<line>")
def why(app, q, body, line):
    t = from_iso(q["t"]) if "t" in q else app.now()
    return {"line": line, "t": iso(t), "why": eng.explain(app.site, app.db.load_plan(), line, t)}

@R.on("POST", "/api/obs")
def obs_in(app, q, body):
    rows = body.get("rows")
    if not isinstance(rows, list):
        raise BadInput("rows must be a list")
    good, odd = [], []
    for i, r in enumerate(rows):
        try:
            pid = r["probe"]
            if pid not in app.site.probes:
                raise KeyError(pid)
            good.append(Obs(pid, r.get("kind") or app.site.probes[pid]["kind"], int(r["t"]), float(r["v"])))
        except (KeyError, TypeError, ValueError) as e:
            odd.append({"row": i, "error": f"{type(e).__name__}: {e}"})
    n = app.db.add_obs(good) if good else 0
    return {"stored": n, "rejected": odd}

@R.on("GET", "/api/obs")
def obs_out(app, q, body):
    a, b = span_of(q, app.now())
    rows = app.db.obs_between(a, b, q.get("kind"))
    if "bay" in q:
        app.site.bay(q["bay"])
        rows = [o for o in rows if app.site.probes.get(o.probe, {}).get("bay") == q["bay"]]
    return rows

@R.on("GET", "/api/rights")
def rights(app, q, body):
    return Book(app.site, app.db.draws()).statement(app.now())

@R.on("GET", "/api/pumps")
def pumps(app, q, body):
    out = []
    for tag, card in app.site.pumps.items():
        w = Wear.from_blob(card, app.db.get_blob("wear:" + tag))
        due, why_ = w.due(app.now(), 6.0)
        out.append({"tag": tag, "hours": w.hours, "used": round(w.frac(), 3), "verdict": w.verdict(), "due": due, "because": why_})
    return out

@R.on("POST", "/api/pumps/<tag>/check")
def pump_check(app, q, body, tag):
    card = app.site.pumps.get(tag)
    if card is None:
        raise Missing("no such pump", pump=tag)
    w = Wear.from_blob(card, app.db.get_blob("wear:" + tag))
    if "head_m" in body:
        w.test(app.now(), float(body["lpm"]), float(body["head_m"]))
    if "vib" in body:
        w.vib_add(app.now(), float(body["vib"]))
    app.db.put_blob("wear:" + tag, w.to_blob())
    return {"tag": tag, "verdict": w.verdict(), "zone": w.vib_zone(), "head": w.head_factor()}

@R.on("GET", "/api/dose/<line>")
def dose(app, q, body, line):
    bay = app.site.bay_of_line(line)
    want = float(q.get("ec", bay.crop.ec_feed))
    return salt.recipe(app.site.lines[line].lpm, float(q.get("raw", 0.4)), want)

@R.on("GET", "/api/events")
def events(app, q, body):
    a, b = span_of(q, app.now())
    return app.db.events(a, b, q.get("kind"))

@R.on("GET", "/api/alarms")
def alarms(app, q, body):
    return [{"rule": r.rid, "sev": r.sev, "where": w, "since": iso(c.raised), "ack": c.acked} for r, w, c in app.desk().standing()]

@R.on("POST", "/api/alarms/<rid>/<where>/ack")
def ack(app, q, body, rid, where):
    d = app.desk()
    who = body.get("who")
    if not who:
        raise BadInput("say who is taking the alarm")
    d.ack(rid, where, who, app.now())
    app.db.put_blob("alarm_cells", d.dump())
    app.db.note(app.now(), "ack", where, rule=rid, who=who)
    return {"ok": True}

class Handler(BaseHTTPRequestHandler):
    app = None
    server_version = "drench/1"

    def _body(self):
        n = int(self.headers.get("Content-Length") or 0)
        if n > MAX_BODY:
            e = BadInput("body too large", n=n)
            e.http = 413
            raise e
        raw = self.rfile.read(n) if n else b""
        if not raw:
            return {}
        try:
            got = json.loads(raw)
        except ValueError:
            raise BadInput("body is not JSON") from None
        if not isinstance(got, dict):
            raise BadInput("body must be an object")
        return got

    def _auth(self, verb):
        if self.app.token is None or verb == "GET":
            return
        got = self.headers.get("Authorization", "")
        want = "Bearer " + self.app.token
        if not hmac.compare_digest(got.encode(), want.encode()):
            e = Fault("wrong or missing token")
            e.http = 401
            raise e

    def _send(self, code, obj):
        raw = json.dumps(plain(obj), separators=(",", ":")).encode()
        tag = '"' + hashlib.md5(raw).hexdigest()[:16] + '"'
        if code == 200 and self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.send_header("ETag", tag)
            self.end_headers()
            return
        self.send_response(code)
        if len(raw) > 1400 and "gzip" in self.headers.get("Accept-Encoding", ""):
            raw = gzip.compress(raw, 5)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(raw)

    def _go(self, verb):
        u = urlsplit(self.path)
        q = {k: v[-1] for k, v in parse_qs(u.query).items()}
        try:
            if not self.app.bucket.ok(self.client_address[0]):
                e = Fault("slow down")
                e.http = 429
                raise e
            self._auth(verb)
            fn, kw = R.find(verb, u.path)
            body = self._body() if verb == "POST" else {}
            self._send(200, fn(self.app, q, body, **kw))
        except Fault as e:
            self._send(e.http, e.as_dict())
        except (ValueError, KeyError) as e:
            self._send(400, {"code": "bad_input", "msg": str(e)})

    def do_GET(self):
        self._go("GET")

    def do_POST(self):
        self._go("POST")

    def log_message(self, fmt, *a):
        return None

def serve(site, db, host="127.0.0.1", port=8087, token=None):
    h = type("H", (Handler,), {"app": App(site, db, token)})
    srv = ThreadingHTTPServer((host, port), h)
    srv.daemon_threads = True
    return srv
