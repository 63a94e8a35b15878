import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Actor, Role } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';

interface Claims {
  sub: string;
  r: Role[];
  p: string[];
  exp: number;
  jti: string;
}

export class Sealer {
  private keys: { kid: string; secret: string }[];
  private dead = new Map<string, number>();

  constructor(spec: string) {
    this.keys = spec
      .split(',')
      .map((k) => k.trim().split(':'))
      .filter((k) => k.length === 2 && k[1].length >= 16)
      .map(([kid, secret]) => ({ kid, secret }));
    if (!this.keys.length) throw new FerryErr('bad_input', 'no usable signing key');
  }

  private mac(secret: string, body: string): Buffer {
    return createHmac('sha256', secret).update(body).digest();
  }

  mint(a: Actor, ttlSec: number, jti: string, nowSec: number): string {
    const k = this.keys[0];
    const c: Claims = { sub: a.sub, r: a.roles, p: a.ports, exp: nowSec + ttlSec, jti };
    const body = `${k.kid}.${Buffer.from(JSON.stringify(c)).toString('base64url')}`;
    return `${body}.${this.mac(k.secret, body).toString('base64url')}`;
  }

  open(token: string, nowSec: number): Actor & { jti: string } {
    const parts = token.split('.');
    if (parts.length !== 3) throw new FerryErr('unauth', 'malformed token');
    const k = this.keys.find((x) => x.kid === parts[0]);
    if (!k) throw new FerryErr('unauth', 'key has been retired');
    const want = this.mac(k.secret, `${parts[0]}.${parts[1]}`);
    const got = Buffer.from(parts[2], 'base64url');
    if (got.length !== want.length || !timingSafeEqual(got, want)) throw new FerryErr('unauth', 'bad signature');
    const c = JSON.parse(Buffer.from(parts[1], 'base64url').toString('utf8')) as Claims;
    if (c.exp <= nowSec) throw new FerryErr('unauth', 'token has expired');
    if (this.dead.has(c.jti)) throw new FerryErr('unauth', 'token was revoked');
    return { sub: c.sub, roles: c.r, ports: c.p, jti: c.jti };
  }

  revoke(jti: string, nowSec: number): void {
    for (const [k, t] of this.dead) if (nowSec - t > 86400 * 2) this.dead.delete(k);
    this.dead.set(jti, nowSec);
  }
}
