import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { App } from './app.ts';
import { Sealer } from './auth/seal.ts';
import type { Evt, Hand, Hull } from './dom/types.ts';
import { billRoutes, crewRoutes, deskRoutes } from './http/api.ts';
import { Bucket, readBody, reply, replyErr, Router } from './http/router.ts';
import { FerryErr, mkId } from './kit/bits.ts';
import type { Pattern } from './sail/pattern.ts';
import type { Sill } from './tide/gate.ts';
import type { Gauge } from './tide/harm.ts';

interface Seed {
  hulls: Hull[];
  hands: Hand[];
  gauges: Gauge[];
  sills: Sill[];
  patterns: Pattern[];
}

function say(lvl: string, msg: string): void {
  process.stderr.write(`${JSON.stringify({ t: new Date().toISOString(), lvl, msg })}\n`);
}

export function plant(app: App, seed: Seed): void {
  for (const g of seed.gauges) app.tides.add(g);
  for (const s of seed.sills) app.gk.addSill(s);
  const evts: Evt[] = [];
  for (const hull of seed.hulls) if (!app.deck.hulls.has(hull.id)) evts.push({ t: 'hull.listed', hull });
  for (const hand of seed.hands) if (!app.deck.hands.has(hand.id)) evts.push({ t: 'hand.on', hand });
  app.commit('seed', evts);
  app.pats = seed.patterns;
}

export function serve(app: App, sealer: Sealer, port: number): Server {
  const r = new Router();
  billRoutes(app, r);
  crewRoutes(app, r);
  deskRoutes(app, r);
  const bucket = new Bucket(8, 40);
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      const url = new URL(req.url ?? '/', 'http://ferry.local');
      if (url.pathname === '/healthz') {
        reply(req, res, { seq: app.deck.seq, backlog: app.out.backlog() });
        return;
      }
      const m = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '');
      if (!m) throw new FerryErr('unauth', 'bearer token required');
      const who = sealer.open(m[1], Date.now() / 1000);
      bucket.draw(who.sub, Date.now());
      if (req.method === 'DELETE' && url.pathname === '/session') {
        sealer.revoke(who.jti, Date.now() / 1000);
        reply(req, res, null);
        return;
      }
      if (req.method === 'POST' && url.pathname === '/session') {
        reply(req, res, { token: sealer.mint(who, 12 * 3600, mkId('tk'), Date.now() / 1000) });
        return;
      }
      const { fn, p } = r.match(req.method ?? 'GET', url.pathname);
      const body = await readBody(req);
      const seq = req.headers['x-if-seq'];
      reply(req, res, await fn({ who, p, q: url.searchParams, body, ifSeq: seq === undefined ? undefined : Number(seq) }));
    } catch (e) {
      replyErr(res, e, (x) => say('error', x));
    }
  };
  const srv = createServer((req, res) => void handle(req, res));
  srv.requestTimeout = 45000;
  srv.listen(port, () => say('info', `listening on ${port}`));
  return srv;
}

export function start(): void {
  const dir = process.env.FERRY_DATA ?? './data';
  mkdirSync(dir, { recursive: true });
  const seed = JSON.parse(readFileSync(process.env.FERRY_SEED ?? './seed.json', 'utf8')) as Seed;
  const app = new App(dir, async (via, addr, text) => say(via, `${addr} ${text}`));
  plant(app, seed);
  const srv = serve(app, new Sealer(process.env.FERRY_KEYS ?? ''), Number(process.env.PORT ?? 8080));
  const beat = setInterval(() => app.tick().catch((e) => say('error', String(e))), 30000);
  const stop = (): void => {
    clearInterval(beat);
    srv.close(() => {
      app.log.checkpoint(app.deck);
      app.log.close();
      process.exit(0);
    });
    setTimeout(() => process.exit(1), 8000).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

if (process.argv[1]?.endsWith('main.ts') || process.argv[1]?.endsWith('main.js')) start();
