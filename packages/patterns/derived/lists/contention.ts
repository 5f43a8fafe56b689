// How often writers of one list conflict, by key: counted as they write, and reported once when a list has too many conflicts.
import { ROWS_ADVICE } from './list.js';

/** Lists counted at a time: the one written longest ago is forgotten first. */
const KEYS_MAX = 1_000;
/** With fewer attempts a share means nothing. */
const ATTEMPTS_LEAST = 20;
/** From one conflict in twenty attempts. */
const SHARE = 0.05;

/** A list whose writers conflict often. */
export interface ListContention {
  /** The keys of the list, as texts. */
  readonly list: string;
  readonly attempts: number;
  /** Attempts that failed because another writer came first. */
  readonly conflicts: number;
  readonly advice: string;
}

interface Counts {
  attempts: number;
  conflicts: number;
  isTold: boolean;
}

export class ContentionCount {
  readonly #counts = new Map<string, Counts>();
  readonly #warn: (found: ListContention) => void;

  constructor(warn: (found: ListContention) => void = () => undefined) {
    this.#warn = warn;
  }

  /** One attempt to write the list. */
  count(list: string, isConflict: boolean): void {
    const counts = this.#counts.get(list) ?? { attempts: 0, conflicts: 0, isTold: false };
    this.#counts.delete(list);
    this.#counts.set(list, counts);
    counts.attempts++;
    if (isConflict) counts.conflicts++;
    if (this.#counts.size > KEYS_MAX) this.#forgetFirst();
    const { attempts, conflicts, isTold } = counts;
    if (isTold || attempts < ATTEMPTS_LEAST || conflicts < attempts * SHARE) return;
    counts.isTold = true;
    this.#warn({ list, attempts, conflicts, advice: ROWS_ADVICE });
  }

  /** The lists that were written, most conflicts first. */
  found(): readonly ListContention[] {
    return [...this.#counts]
      .map(([list, { attempts, conflicts }]) => ({ list, attempts, conflicts, advice: ROWS_ADVICE }))
      .sort((a, b) => b.conflicts - a.conflicts);
  }

  #forgetFirst(): void {
    const [first] = this.#counts.keys();
    if (first !== undefined) this.#counts.delete(first);
  }
}
