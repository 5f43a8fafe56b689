// Removes dropped contents once no process can be reading them: after this process's pins and reads, and other
// processes' pins.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContentPin } from '#store';
import type { Members, Standing } from '../members.js';
import type { ContentRows } from './content-rows.js';

const LOOK_MS = 250;

interface Drop {
  readonly rows: ContentRows;
  readonly id: string;
  /** Pins and reads up to this number were there before. */
  readonly before: number;
  /** Undefined until the other processes were looked at. */
  standing: Standing | undefined;
}

interface Hold {
  readonly beat: bigint;
  /** A read in progress delays the removal, but does not let others begin. */
  readonly isPin: boolean;
}

/** What was removed since a caller began to look. */
interface Removals {
  has(id: string): boolean;
  release(): void;
}

export class Drops {
  readonly #members: () => Members;
  readonly #holds = new Map<number, Hold>();
  readonly #drops = new Map<string, Drop>();
  readonly #removals = new Set<Set<string>>();
  #lastHold = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(members: () => Members) {
    this.#members = members;
  }

  hold(isPin: boolean): ContentPin {
    this.#lastHold += 1;
    const number = this.#lastHold;
    this.#holds.set(number, { beat: this.#members().beat, isPin });
    return { release: () => void this.#holds.delete(number) };
  }

  /** This process's count when its oldest pin or read began. */
  oldestHold(): bigint | undefined {
    const [first] = this.#holds.values();
    return first?.beat;
  }

  /** Whether it was dropped, and this process has no earlier pin. */
  isGone(id: string): boolean {
    const drop = this.#drops.get(id);
    return drop !== undefined && !this.#isHeld(drop, ({ isPin }) => isPin);
  }

  has(id: string): boolean {
    return this.#drops.has(id);
  }

  /** Records removals from now on: a listing may have read a page that still has them. */
  watch(): Removals {
    const removed = new Set<string>();
    this.#removals.add(removed);
    return { has: id => removed.has(id), release: () => void this.#removals.delete(removed) };
  }

  add(rows: ContentRows, id: string): void {
    if (this.#drops.has(id)) return;
    this.#drops.set(id, { rows, id, before: this.#lastHold, standing: undefined });
    this.#running ??= this.#run();
  }

  /** Removes what no other process can be reading; the remaining contents are listed when another process looks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#holds.clear();
    await this.#running;
    await this.#pass();
  }

  #isHeld({ before }: Drop, counts: (hold: Hold) => boolean): boolean {
    for (const [number, hold] of this.#holds) if (number <= before && counts(hold)) return true;
    return false;
  }

  async #run(): Promise<void> {
    while (this.#drops.size > 0 && !this.#isClosed) {
      await this.#pass();
      if (this.#drops.size > 0) await sleep(LOOK_MS, undefined, { ref: false });
    }
    this.#running = undefined;
  }

  /** The next pass retries failures. */
  async #pass(): Promise<void> {
    const held = [...this.#drops.values()].filter(drop => !this.#isHeld(drop, () => true));
    if (held.length === 0) return;
    try {
      const members = this.#members();
      if (held.some(({ standing }) => standing === undefined)) {
        const standing = await members.standing();
        for (const drop of held) drop.standing ??= standing;
      }
      for (const drop of held) {
        if (drop.standing === undefined || !(await members.areUnpinned(drop.standing))) continue;
        await drop.rows.remove(drop.id);
        for (const removed of this.#removals) removed.add(drop.id);
        this.#drops.delete(drop.id);
      }
    } catch {
      return;
    }
  }
}
