import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Deck } from '../dom/deck.ts';
import type { Entry, Evt } from '../dom/types.ts';
import { canon, FerryErr, sha } from '../kit/bits.ts';
import type { Min } from '../kit/time.ts';
import { freeze, replay, thaw } from './fold.ts';

const SEED = '0'.repeat(64);

export class Journal {
  entries: Entry[] = [];
  private fd: number | null = null;
  private dir: string | null;
  private taps = new Set<(es: Entry[]) => void>();

  constructor(dir: string | null) {
    this.dir = dir;
  }

  private path(name: string): string {
    return join(this.dir as string, name);
  }

  private seal(seq: number, at: Min, who: string, ev: Evt, prev: string): string {
    return sha(`${seq}|${at}|${who}|${prev}|${canon(ev)}`);
  }

  boot(): Deck {
    if (!this.dir) return replay([]);
    const f = this.path('journal.ndjson');
    if (existsSync(f)) this.readIn(f);
    const bad = this.audit();
    if (bad !== null) throw new FerryErr('stale', `journal was altered at entry ${bad}`);
    this.fd = openSync(f, 'a');
    const snap = this.path('deck.json');
    if (existsSync(snap)) {
      const d = thaw(readFileSync(snap, 'utf8'));
      if (d.seq <= this.entries.length) return replay(this.entries, Infinity, d);
    }
    return replay(this.entries);
  }

  private readIn(f: string): void {
    const raw = readFileSync(f);
    let from = 0;
    for (;;) {
      const nl = raw.indexOf(10, from);
      if (nl < 0) break;
      this.entries.push(JSON.parse(raw.toString('utf8', from, nl)) as Entry);
      from = nl + 1;
    }
    if (from < raw.length) truncateSync(f, from);
  }

  audit(): number | null {
    let prev = SEED;
    for (let i = 0; i < this.entries.length; i++) {
      const e = this.entries[i];
      if (e.seq !== i + 1 || e.prev !== prev || e.hash !== this.seal(e.seq, e.at, e.who, e.ev, prev)) return i + 1;
      prev = e.hash;
    }
    return null;
  }

  append(who: string, evts: Evt[], at: Min, expect?: number): Entry[] {
    const head = this.entries.length;
    if (expect !== undefined && expect !== head) {
      throw new FerryErr('stale', `log moved on to ${head}`, { head });
    }
    let prev = head ? this.entries[head - 1].hash : SEED;
    const fresh: Entry[] = [];
    for (const ev of evts) {
      const seq = head + fresh.length + 1;
      const hash = this.seal(seq, at, who, ev, prev);
      fresh.push({ seq, at, who, ev, prev, hash });
      prev = hash;
    }
    if (this.fd !== null && fresh.length) {
      writeSync(this.fd, fresh.map((e) => `${JSON.stringify(e)}\n`).join(''));
      fsyncSync(this.fd);
    }
    this.entries.push(...fresh);
    return fresh;
  }

  publish(fresh: Entry[]): void {
    for (const fn of this.taps) fn(fresh);
  }

  tap(fn: (es: Entry[]) => void): () => void {
    this.taps.add(fn);
    return () => this.taps.delete(fn);
  }

  since(seq: number, max = 500): Entry[] {
    return this.entries.slice(seq, seq + max);
  }

  waitPast(seq: number, ms: number): Promise<Entry[]> {
    if (this.entries.length > seq) return Promise.resolve(this.since(seq));
    return new Promise((done) => {
      const finish = (): void => {
        clearTimeout(timer);
        off();
        done(this.since(seq));
      };
      const timer = setTimeout(finish, ms);
      const off = this.tap(finish);
    });
  }

  history(q: { hand?: string; stint?: string; types?: string[]; limit: number }): Entry[] {
    const out: Entry[] = [];
    for (let i = this.entries.length - 1; i >= 0 && out.length < q.limit; i--) {
      const e = this.entries[i];
      if (q.types && !q.types.some((t) => e.ev.t.startsWith(t))) continue;
      const flat = q.hand || q.stint ? canon(e.ev) : '';
      if (q.hand && !flat.includes(`"${q.hand}"`)) continue;
      if (q.stint && !flat.includes(`"${q.stint}"`)) continue;
      out.push(e);
    }
    return out;
  }

  checkpoint(d: Deck): void {
    if (!this.dir) return;
    const tmp = this.path('deck.json.new');
    writeFileSync(tmp, freeze(d));
    renameSync(tmp, this.path('deck.json'));
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }
}
