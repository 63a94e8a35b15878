import { createHash, randomBytes } from 'node:crypto';

export type Oops =
  | 'bad_input'
  | 'no_such'
  | 'forbidden'
  | 'clash'
  | 'stale'
  | 'locked'
  | 'too_many'
  | 'unauth';

export class FerryErr extends Error {
  readonly code: Oops;
  readonly info: Record<string, unknown>;
  constructor(code: Oops, msg: string, info: Record<string, unknown> = {}) {
    super(msg);
    this.code = code;
    this.info = info;
  }
}

export function must<T>(x: T | null | undefined, what: string): T {
  if (x === null || x === undefined) throw new FerryErr('no_such', `${what} not found`);
  return x;
}

const B32 = '0123456789abcdefghjkmnpqrstvwxyz';

export function mkId(tag: string, at = Date.now()): string {
  let head = '';
  let n = at;
  for (let i = 0; i < 9; i++) {
    head = B32[n % 32] + head;
    n = Math.floor(n / 32);
  }
  let tail = '';
  for (const b of randomBytes(7)) tail += B32[b & 31];
  return `${tag}_${head}${tail}`;
}

export function canon(x: unknown): string {
  if (x === null || typeof x !== 'object') return JSON.stringify(x) ?? 'null';
  if (Array.isArray(x)) return `[${x.map(canon).join(',')}]`;
  const o = x as Record<string, unknown>;
  const keys = Object.keys(o)
    .filter((k) => o[k] !== undefined)
    .sort();
  return `{${keys.map((k) => `${JSON.stringify(k)}:${canon(o[k])}`).join(',')}}`;
}

export function sha(x: string): string {
  return createHash('sha256').update(x).digest('hex');
}

export function heap<K, V>(xs: Iterable<V>, key: (v: V) => K): Map<K, V[]> {
  const out = new Map<K, V[]>();
  for (const v of xs) {
    const k = key(v);
    const l = out.get(k);
    if (l) l.push(v);
    else out.set(k, [v]);
  }
  return out;
}

export function lcg(seed: number): () => number {
  let s = seed >>> 0 || 1;
  return () => {
    s ^= s << 13;
    s >>>= 0;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s / 4294967296;
  };
}

export function shuffle<T>(xs: T[], rnd: () => number): T[] {
  const out = xs.slice();
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(rnd() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

export function mulDiv(cents: number, num: number, den: number): number {
  const raw = BigInt(Math.round(cents)) * BigInt(Math.round(num));
  const d = BigInt(Math.round(den));
  if (d === 0n) throw new FerryErr('bad_input', 'division by zero in money');
  const neg = raw < 0n !== d < 0n;
  const n = raw < 0n ? -raw : raw;
  const dd = d < 0n ? -d : d;
  let q = n / dd;
  const twice = (n % dd) * 2n;
  if (twice > dd || (twice === dd && q % 2n === 1n)) q += 1n;
  return Number(neg ? -q : q);
}

export function kr(cents: number): string {
  const neg = cents < 0 ? '-' : '';
  const x = Math.abs(cents);
  return `${neg}${Math.floor(x / 100)},${String(x % 100).padStart(2, '0')}`;
}

export function clamp(x: number, lo: number, hi: number): number {
  return x < lo ? lo : x > hi ? hi : x;
}
