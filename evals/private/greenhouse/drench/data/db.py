import json
import sqlite3
import threading
from contextlib import contextmanager

from ..model import Missing, Obs, Plan, Shot, WxPt
from ..tick import DAY

STEPS = [
    """
    create table obs(probe text, kind text, t integer, v real, q integer, primary key(probe, kind, t)) without rowid;
    create index obs_t on obs(t);
    create table wx(src text, t integer, ta real, rh real, ghi real, wind real, rain real, primary key(src, t)) without rowid;
    create table plan(id integer primary key, made integer, t0 integer, t1 integer, notes text, live integer default 0);
    create table shot(plan integer references plan(id) on delete cascade, line text, t0 integer, secs integer, litres real, why text, ec real);
    create index shot_line on shot(line, t0);
    """,
    """
    create table draw(id integer primary key, ref text, t integer, litres real, memo text);
    create index draw_ref on draw(ref, t);
    create table blob(k text primary key, v text);
    """,
    """
    create table uptake(bay text, t0 integer, t1 integer, mm real, primary key(bay, t0));
    create table event(id integer primary key, t integer, kind text, place text, body text);
    create index event_t on event(t);
    """,
    """
    create table obs_h(probe text, kind text, t integer, lo real, mean real, hi real, n integer, primary key(probe, kind, t)) without rowid;
    """,
]

class Db:
    def __init__(self, path):
        self.path = path
        self.lock = threading.RLock()
        self.cx = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.cx.execute("pragma foreign_keys=on")
        if path != ":memory:":
            self.cx.execute("pragma journal_mode=wal")
        self.lift()

    def lift(self):
        have = self.cx.execute("pragma user_version").fetchone()[0]
        for i in range(have, len(STEPS)):
            with self.tx():
                for stmt in STEPS[i].split(";"):
                    if stmt.strip():
                        self.cx.execute(stmt)
                self.cx.execute(f"pragma user_version={i + 1}")

    @contextmanager
    def tx(self):
        with self.lock:
            if self.cx.in_transaction:
                yield self.cx
                return
            self.cx.execute("begin immediate")
            try:
                yield self.cx
            except BaseException:
                self.cx.execute("rollback")
                raise
            self.cx.execute("commit")

    def rows(self, sql, *a):
        with self.lock:
            return self.cx.execute(sql, a).fetchall()

    def add_obs(self, obs):
        with self.tx() as cx:
            n0 = cx.total_changes
            cx.executemany(
                "insert into obs values(?,?,?,?,?) on conflict do update set v=excluded.v, q=excluded.q where excluded.q<=obs.q",
                [(o.probe, o.kind, o.t, o.v, o.q) for o in obs])
            return cx.total_changes - n0

    def obs_between(self, a, b, kind=None):
        sql = "select probe,kind,t,v,q from obs where t>=? and t<=?"
        args = [a, b]
        if kind:
            sql += " and kind=?"
            args.append(kind)
        return [Obs(*r) for r in self.rows(sql + " order by t", *args)]

    def add_wx(self, src, pts):
        with self.tx() as cx:
            cx.executemany("insert or replace into wx values(?,?,?,?,?,?,?)",
                           [(src, w.t, w.ta, _nn(w.rh), w.ghi, w.wind, w.rain) for w in pts])
        return len(pts)

    def wx_between(self, a, b, src):
        got = self.rows("select t,ta,rh,ghi,wind,rain from wx where src=? and t>=? and t<=? order by t", src, a, b)
        return [WxPt(*(float("nan") if x is None else x for x in r)) for r in got]

    def save_plan(self, p, live=True):
        with self.tx() as cx:
            if live:
                cx.execute("update plan set live=0 where live=1")
            cur = cx.execute("insert into plan(made,t0,t1,notes,live) values(?,?,?,?,?)",
                             (p.made, p.t0, p.t1, json.dumps(p.notes), int(live)))
            p.pid = cur.lastrowid
            cx.executemany("insert into shot values(?,?,?,?,?,?,?)",
                           [(p.pid, s.line, s.t0, s.secs, s.litres, s.why, s.ec) for s in p.shots])
        return p.pid

    def load_plan(self, pid=None):
        if pid is None:
            r = self.rows("select id,made,t0,t1,notes from plan where live=1 order by id desc limit 1")
        else:
            r = self.rows("select id,made,t0,t1,notes from plan where id=?", pid)
        if not r:
            raise Missing("no plan stored", plan=pid)
        pid, made, t0, t1, notes = r[0]
        shots = [Shot(*x) for x in self.rows("select line,t0,secs,litres,why,ec from shot where plan=? order by t0,line", pid)]
        return Plan(made, t0, t1, shots, json.loads(notes), pid)

    def last_shot(self, lines, before):
        if not lines:
            return 0
        marks = ",".join("?" * len(lines))
        r = self.rows(f"select max(s.t0) from shot s join plan p on p.id=s.plan where p.live=1 and s.line in ({marks}) and s.t0<?", *lines, before)
        return r[0][0] or 0

    def add_draws(self, parts, memo=""):
        with self.tx() as cx:
            cx.executemany("insert into draw(ref,t,litres,memo) values(?,?,?,?)", [(r, t, l, memo) for r, t, l in parts])

    def draws(self, since=0):
        return self.rows("select ref,t,litres from draw where t>=? order by t", since)

    def get_blob(self, k):
        r = self.rows("select v from blob where k=?", k)
        return json.loads(r[0][0]) if r else None

    def put_blob(self, k, v):
        with self.tx() as cx:
            cx.execute("insert into blob values(?,?) on conflict(k) do update set v=excluded.v", (k, json.dumps(v)))

    def add_uptake(self, bay, t0, t1, mm):
        with self.tx() as cx:
            cx.execute("insert or replace into uptake values(?,?,?,?)", (bay, t0, t1, mm))

    def uptake_between(self, bay, a, b):
        return self.rows("select t0,t1,mm from uptake where bay=? and t0>=? and t1<=? order by t0", bay, a, b)

    def note(self, t, kind, place, **body):
        with self.tx() as cx:
            cx.execute("insert into event(t,kind,place,body) values(?,?,?,?)", (t, kind, place, json.dumps(body, default=str)))

    def events(self, a, b, kind=None, cap=200):
        sql, args = "select t,kind,place,body from event where t>=? and t<=?", [a, b]
        if kind:
            sql += " and kind=?"
            args.append(kind)
        got = self.rows(sql + " order by t desc limit ?", *args, cap)
        return [{"t": t, "kind": k, "place": p, "body": json.loads(x)} for t, k, p, x in got]

    def shrink(self, now, raw_days=45, plan_days=120):
        edge = (now - raw_days * DAY) // 3600 * 3600
        with self.tx() as cx:
            cx.execute(
                "insert or replace into obs_h select probe,kind,t/3600*3600,min(v),avg(v),max(v),count(*) "
                "from obs where t<? and (q & 1792)=0 group by probe,kind,t/3600", (edge,))
            n = cx.execute("delete from obs where t<?", (edge,)).rowcount
            m = cx.execute("delete from plan where live=0 and t1<?", (now - plan_days * DAY,)).rowcount
        return {"obs": n, "plans": m}

    def close(self):
        with self.lock:
            self.cx.close()

def _nn(v):
    return None if v is None or v != v else v
