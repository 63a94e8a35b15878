import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Actor } from '../dom/types.ts';
import type { Oops } from '../kit/bits.ts';
import { FerryErr, sha } from '../kit/bits.ts';

export interface Req {
  who: Actor;
  p: Record<string, string>;
  q: URLSearchParams;
  body: Record<string, unknown>;
  ifSeq?: number;
}

export class Raw {
  readonly type: string;
  readonly text: string;
  readonly file?: string;
  constructor(type: string, text: string, file?: string) {
    this.type = type;
    this.text = text;
    this.file = file;
  }
}

export type Handler = (r: Req) => unknown | Promise<unknown>;

const HTTP: Record<Oops, number> = {
  bad_input: 400,
  unauth: 401,
  forbidden: 403,
  no_such: 404,
  clash: 409,
  stale: 412,
  locked: 423,
  too_many: 429,
};

const BODY_MAX = 256 * 1024;

export class Router {
  private table: { verb: string; segs: string[]; fn: Handler }[] = [];

  on(verb: string, path: string, fn: Handler): void {
    this.table.push({ verb, segs: path.split('/').filter(Boolean), fn });
  }

  match(verb: string, path: string): { fn: Handler; p: Record<string, string> } {
    const segs = path.split('/').filter(Boolean);
    const others: string[] = [];
    for (const row of this.table) {
      if (row.segs.length !== segs.length) continue;
      const p: Record<string, string> = {};
      const ok = row.segs.every((s, i) => {
        if (!s.startsWith(':')) return s === segs[i];
        p[s.slice(1)] = decodeURIComponent(segs[i]);
        return true;
      });
      if (!ok) continue;
      if (row.verb === verb) return { fn: row.fn, p };
      others.push(row.verb);
    }
    if (others.length) throw new FerryErr('bad_input', `use ${others.join(' or ')}`);
    throw new FerryErr('no_such', `no route ${path}`);
  }
}

export class Bucket {
  private lvl = new Map<string, { n: number; t: number }>();
  private rate: number;
  private cap: number;
  constructor(rate: number, cap: number) {
    this.rate = rate;
    this.cap = cap;
  }

  draw(key: string, nowMs: number): void {
    const b = this.lvl.get(key) ?? { n: this.cap, t: nowMs };
    b.n = Math.min(this.cap, b.n + ((nowMs - b.t) / 1000) * this.rate);
    b.t = nowMs;
    if (this.lvl.size > 5000) this.lvl.clear();
    this.lvl.set(key, b);
    if (b.n < 1) throw new FerryErr('too_many', 'slow down', { retry: Math.ceil((1 - b.n) / this.rate) });
    b.n -= 1;
  }
}

export async function readBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (req.method === 'GET' || req.method === 'HEAD') return {};
  const bits: Buffer[] = [];
  let n = 0;
  for await (const c of req) {
    const b = c as Buffer;
    n += b.length;
    if (n > BODY_MAX) throw new FerryErr('bad_input', 'request is too large');
    bits.push(b);
  }
  if (!n) return {};
  let x: unknown;
  try {
    x = JSON.parse(Buffer.concat(bits).toString('utf8'));
  } catch {
    throw new FerryErr('bad_input', 'body is not JSON');
  }
  if (x === null || typeof x !== 'object' || Array.isArray(x)) throw new FerryErr('bad_input', 'body must be an object');
  return x as Record<string, unknown>;
}

export function reply(req: IncomingMessage, res: ServerResponse, out: unknown): void {
  const raw = out instanceof Raw ? out : new Raw('application/json', JSON.stringify(out ?? { ok: true }));
  const tag = `"${sha(raw.text).slice(0, 20)}"`;
  if (req.method === 'GET' && req.headers['if-none-match'] === tag) {
    res.writeHead(304, { etag: tag }).end();
    return;
  }
  const head: Record<string, string | number> = { 'content-type': `${raw.type}; charset=utf-8`, etag: tag, 'cache-control': 'private, no-cache' };
  if (raw.file) head['content-disposition'] = `attachment; filename="${raw.file}"`;
  let buf = Buffer.from(raw.text, 'utf8');
  if (buf.length > 2048 && /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))) {
    buf = gzipSync(buf);
    head['content-encoding'] = 'gzip';
  }
  head['content-length'] = buf.length;
  res.writeHead(200, head).end(buf);
}

export function replyErr(res: ServerResponse, e: unknown, log: (m: string) => void): void {
  const fe = e instanceof FerryErr ? e : null;
  if (!fe) log(e instanceof Error ? (e.stack ?? e.message) : String(e));
  const code = fe ? HTTP[fe.code] : 500;
  const head: Record<string, string> = { 'content-type': 'application/json' };
  if (fe?.info.retry) head['retry-after'] = String(fe.info.retry);
  if (res.headersSent) {
    res.end();
    return;
  }
  res.writeHead(code, head).end(JSON.stringify({ err: fe?.code ?? 'oops', msg: fe?.message ?? 'internal', ...fe?.info }));
}

export function str(b: Record<string, unknown>, k: string, max = 200): string {
  const v = b[k];
  if (typeof v !== 'string' || !v.trim() || v.length > max) throw new FerryErr('bad_input', `${k} must be text`);
  return v.trim();
}

export function int(b: Record<string, unknown>, k: string, lo: number, hi: number): number {
  const v = typeof b[k] === 'string' ? Number(b[k]) : b[k];
  if (typeof v !== 'number' || !Number.isInteger(v) || v < lo || v > hi) {
    throw new FerryErr('bad_input', `${k} must be a whole number ${lo}..${hi}`);
  }
  return v;
}
