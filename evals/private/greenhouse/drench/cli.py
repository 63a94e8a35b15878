import argparse
import json
import sys
import time

from . import conf, twin, web
from .data import wxfiles, wxseries
from .data.db import Db
from .model import Fault, Missing
from .ops import pump as pumpmod
from .ops.latch import Desk
from .ops.rights import Book
from .plan import engine as eng
from .sense import calib, frames
from .tick import DAY, from_iso, iso, midnight
from .units import fmt_dur, fmt_vol

def grid(rows, heads, right=()):
    cells = [[str(h) for h in heads]] + [["-" if v is None else str(v) for v in r] for r in rows]
    wid = [max(len(r[i]) for r in cells) for i in range(len(heads))]
    out = []
    for n, r in enumerate(cells):
        line = "  ".join(c.rjust(wid[i]) if i in right else c.ljust(wid[i]) for i, c in enumerate(r))
        out.append(line.rstrip())
        if n == 0:
            out.append("  ".join("-" * w for w in wid))
    return "\n".join(out)

def strip_chart(site, plan, cols=72):
    step = max(1, (plan.t1 - plan.t0) // cols)
    out = []
    for tag in sorted(site.lines):
        row = ["."] * cols
        for s in plan.shots:
            if s.line != tag:
                continue
            a = (s.t0 - plan.t0) // step
            b = (s.t1 - 1 - plan.t0) // step
            mark = {"flush": "F", "rescue": "!", "ramp": "r", "low": "l"}.get(s.why.rstrip("*"), "#")
            for i in range(max(0, a), min(cols, b + 1)):
                row[i] = mark
        out.append(f"{tag:>8} {''.join(row)}")
    hours = [" "] * cols
    t = midnight(plan.t0, site.utc_off_h)
    while t < plan.t1:
        i = (t - plan.t0) // step
        if 0 <= i < cols - 2:
            hours[i:i + 2] = list(f"{(t + int(site.utc_off_h * 3600)) % DAY // 3600:02d}")
        t += 3 * 3600
    out.append(" " * 9 + "".join(hours))
    return "\n".join(out)

def _now(a):
    return from_iso(a.now) if a.now else int(time.time())

def cmd_init(a, site, db):
    with open(a.site, "w", encoding="utf-8") as fh:
        json.dump(conf.demo_raw(), fh, indent=2)
    print("wrote", a.site)

def cmd_seed(a, site, db):
    now = _now(a)
    wx = wxseries.typical(site, now - 3 * DAY, now + 3 * DAY)
    db.add_wx("obs", [w for w in wx if w.t <= now])
    db.add_wx("fc", [w for w in wx if w.t > now - DAY])
    twin.warm_up(site, db, wx, now, a.hours)
    print("seeded", len(wx), "weather points and", len(db.obs_between(now - DAY, now)), "readings")

def cmd_plan(a, site, db):
    now = _now(a)
    p = eng.Engine(site, db, now).make(a.hours, tank_l=a.tank)
    if a.keep:
        try:
            p = eng.settle(db.load_plan(), p, now)
        except Missing:
            pass
    if not a.dry:
        db.save_plan(p)
    c = eng.costing(site, p)
    if a.json:
        print(json.dumps(web.plain({"shots": p.shots, "cost": c, "notes": p.notes})))
        return
    print(strip_chart(site, p))
    rows = [(k, v["shots"], f"{v['mm']:.1f}", fmt_vol(v["litres"])) for k, v in sorted(c["bays"].items())]
    print(grid(rows, ("bay", "shots", "mm", "volume"), right=(1, 2, 3)))
    print(f"total {fmt_vol(c['litres'])}, {c['kwh']} kWh, {c['eur']} EUR, peak {c['peak_lpm']} l/min")
    for n in p.notes:
        extra = " ".join(f"{k}={v}" for k, v in n.items() if k not in ("lvl", "txt"))
        print(f"{n['lvl']:>5}: {n['txt']} {extra}".rstrip())

def cmd_why(a, site, db):
    print(eng.explain(site, db.load_plan(), a.line, _now(a)))

def cmd_diff(a, site, db):
    d = eng.contrast(db.load_plan(a.old), db.load_plan(a.new))
    for k in ("added", "gone"):
        for s in d[k]:
            print(f"{'+' if k == 'added' else '-'} {s.line} {iso(s.t0)} {fmt_dur(s.secs)} {fmt_vol(s.litres)}")
    for o, n in d["moved"]:
        print(f"> {o.line} {iso(o.t0)} -> {iso(n.t0)}")
    for o, n in d["resized"]:
        print(f"~ {o.line} {iso(n.t0)} {fmt_vol(o.litres)} -> {fmt_vol(n.litres)}")
    print(f"{len(d['same'])} unchanged")

def cmd_wx(a, site, db):
    kind, rows = wxfiles.read_any(a.file, site.utc_off_h, a.year)
    bad = wxseries.audit(rows, site)
    for t, what in bad[:20]:
        print(f"{iso(t)} {what}", file=sys.stderr)
    if bad and a.strict:
        raise Fault("weather file has problems, nothing stored", n=len(bad))
    print(f"{kind}: stored {db.add_wx(a.src, rows)} rows {iso(rows[0].t)} to {iso(rows[-1].t)}")

def cmd_frames(a, site, db):
    with open(a.map, encoding="utf-8") as fh:
        names = {tuple(int(x) for x in k.split(":")): v for k, v in json.load(fh).items()}
    sp, guard, bench = frames.Splitter(), frames.SeqGuard(), calib.Bench()
    bench.curves = {p: calib.Curve(**d) for p, d in (db.get_blob("curves") or {}).items()}
    n = bad = 0
    with open(a.file, "rb") as fh:
        while True:
            chunk = fh.read(4096)
            if not chunk:
                break
            good, errs = frames.drain(chunk, sp, names, guard)
            bad += len(errs)
            conv = [bench.convert(o, site.probes.get(o.probe, {}).get("bay")) for o in good]
            n += db.add_obs(conv)
    print(f"stored {n}, bad frames {bad}, bytes lost {sp.lost}")

def cmd_rights(a, site, db):
    rows = []
    for r in Book(site, db.draws()).statement(_now(a)):
        out = iso(r["runs_out"])[:10] if r["runs_out"] else None
        rows.append((r["ref"], r["source"], r["granted_m3"], r["carried_m3"], r["used_m3"], r["left_m3"], r["ahead_m3"], out))
    print(grid(rows, ("right", "source", "granted", "carried", "used", "left", "ahead", "runs out"), right=range(2, 7)))

def cmd_book(a, site, db):
    now = _now(a)
    done = db.get_blob("booked_to") or 0
    p = db.load_plan()
    ss = [s for s in p.shots if s.t1 <= now and s.t1 > done]
    book = Book(site, db.draws())
    tot = 0.0
    with db.tx():
        for s in ss:
            parts, short = book.take(s.t0, s.litres, s.secs + 3600, strict=False)
            db.add_draws(parts, f"plan {p.pid} {s.line}")
            tot += sum(x[2] for x in parts)
            if short > 1.0:
                db.note(now, "overdraw", s.line, short_l=round(short, 1))
        wears = {t: pumpmod.Wear.from_blob(c, db.get_blob("wear:" + t)) for t, c in site.pumps.items()}
        for tag, w in pumpmod.book_plan(site, ss, wears).items():
            db.put_blob("wear:" + tag, w.to_blob())
        db.put_blob("booked_to", now)
    print(f"booked {len(ss)} shots, {fmt_vol(tot)}")

def cmd_alarms(a, site, db):
    now = _now(a)
    e = eng.Engine(site, db, now)
    desk = Desk.undump(site, db.get_blob("alarm_cells"))
    for code, v in e.views().items():
        for ev, r, where, t in desk.feed(now, code, desk.env_of(v, site.bays[code])):
            db.note(t, ev, where, rule=r.rid, sev=r.sev)
    for m in desk.mail(now):
        print(f"-> {m['to']}: {m['text']}")
    db.put_blob("alarm_cells", desk.dump())
    rows = [(r.sev, r.rid, w, fmt_dur(now - c.raised), c.acked or None) for r, w, c in desk.standing()]
    print(grid(rows, ("sev", "rule", "where", "for", "ack")) if rows else "no alarms standing")

def cmd_pumps(a, site, db):
    rows = []
    for tag, c in sorted(site.pumps.items()):
        w = pumpmod.Wear.from_blob(c, db.get_blob("wear:" + tag))
        t, because = w.due(_now(a), a.rate)
        rows.append((tag, f"{w.hours:.1f}", w.starts, f"{w.frac():.1%}", f"{w.head_factor():.2f}", w.verdict(), iso(t)[:10] if t else None, because))
    print(grid(rows, ("pump", "hours", "starts", "worn", "head", "verdict", "service", "because"), right=(1, 2, 3, 4)))

def cmd_sim(a, site, db):
    t0 = _now(a)
    wx = wxseries.typical(site, t0 - DAY, t0 + (a.days + 2) * DAY)
    mem = Db(":memory:")
    mem.add_wx("fc", wx)

    def remake(t):
        p = eng.Engine(site, mem, t).make(24)
        mem.save_plan(p)
        return p

    tw, rows = twin.closed_loop(site, mem, remake, wx, t0, a.days)
    sc = tw.score(rows)
    print(grid([(k, *v.values()) for k, v in sc.items()], ("bay", "min", "max", "dry", "fed mm", "drain", "ec"), right=range(1, 7)))

def cmd_calib(a, site, db):
    rows = []
    with open(a.file, encoding="utf-8") as fh:
        for ln in fh:
            if ln.strip() and not ln.startswith("raw"):
                rows.append(tuple(float(x) for x in ln.split(",")))
    cv = calib.fit_gravimetric(rows, a.pot, a.deg, _now(a))
    all_ = db.get_blob("curves") or {}
    all_[a.probe] = {"coef": cv.coef, "rmse": cv.rmse, "made": cv.made}
    db.put_blob("curves", all_)
    print(f"{a.probe}: rmse {cv.rmse:.4f} coef {['%.4g' % c for c in cv.coef]}")

def cmd_shrink(a, site, db):
    print(json.dumps(db.shrink(_now(a), a.raw_days)))

def cmd_serve(a, site, db):
    srv = web.serve(site, db, a.host, a.port, a.token)
    print(f"listening on {a.host}:{srv.server_address[1]}")
    try:
        srv.serve_forever()
    except KeyboardInterrupt:
        srv.shutdown()

def parser():
    p = argparse.ArgumentParser(prog="drench")
    p.add_argument("--site", default="site.json")
    p.add_argument("--db", default="drench.db")
    p.add_argument("--now")
    sub = p.add_subparsers(dest="cmd", required=True)

    def add(name, fn, *opts):
        s = sub.add_parser(name)
        s.set_defaults(fn=fn)
        for flags, kw in opts:
            s.add_argument(*flags, **kw)

    add("init", cmd_init)
    add("seed", cmd_seed, (("--hours",), {"type": float, "default": 6}))
    add("plan", cmd_plan, (("--hours",), {"type": float, "default": 24}), (("--tank",), {"type": float}),
        (("--dry",), {"action": "store_true"}), (("--json",), {"action": "store_true"}), (("--keep",), {"action": "store_true"}))
    add("why", cmd_why, (("line",), {}))
    add("diff", cmd_diff, (("old",), {"type": int}), (("new",), {"type": int}))
    add("wx", cmd_wx, (("file",), {}), (("--src",), {"default": "obs"}), (("--year",), {"type": int}), (("--strict",), {"action": "store_true"}))
    add("frames", cmd_frames, (("file",), {}), (("map",), {}))
    add("rights", cmd_rights)
    add("book", cmd_book)
    add("alarms", cmd_alarms)
    add("pumps", cmd_pumps, (("--rate",), {"type": float, "default": 6.0}))
    add("sim", cmd_sim, (("--days",), {"type": int, "default": 1}))
    add("calib", cmd_calib, (("probe",), {}), (("file",), {}), (("--pot",), {"type": float, "required": True}), (("--deg",), {"type": int, "default": 1}))
    add("shrink", cmd_shrink, (("--raw-days",), {"type": int, "default": 45, "dest": "raw_days"}))
    add("serve", cmd_serve, (("--host",), {"default": "127.0.0.1"}), (("--port",), {"type": int, "default": 8087}), (("--token",), {}))
    return p

def main(argv=None):
    a = parser().parse_args(argv)
    try:
        if a.cmd == "init":
            cmd_init(a, None, None)
            return 0
        site = conf.load(a.site)
        db = Db(a.db)
        try:
            a.fn(a, site, db)
        finally:
            db.close()
        return 0
    except Fault as e:
        print(f"{e.code}: {e} {e.ctx or ''}".rstrip(), file=sys.stderr)
        return 2

if __name__ == "__main__":
    sys.exit(main())
