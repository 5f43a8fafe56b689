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

interface Counts extends ListContention {
  readonly isTold: boolean;
}

export class ContentionCount {
  readonly #counts = new Map<string, Counts>();
  readonly #warn: ((found: ListContention) => void) | undefined;

  constructor(warn: ((found: ListContention) => void) | undefined) {
    this.#warn = warn;
  }

  /** One attempt to write the list, in a table or a container. */
  count(home: string, list: string, isConflict: boolean): void {
    const place = `${home}\n${list}`;
    const before = this.#counts.get(place);
    const attempts = (before?.attempts ?? 0) + 1;
    const conflicts = (before?.conflicts ?? 0) + (isConflict ? 1 : 0);
    const found = { list, attempts, conflicts, advice: ROWS_ADVICE };
    const isHot = attempts >= ATTEMPTS_LEAST && conflicts >= attempts * SHARE;
    this.#counts.delete(place);
    this.#counts.set(place, { ...found, isTold: isHot || before?.isTold === true });
    const [first] = this.#counts.keys();
    if (first !== undefined && this.#counts.size > KEYS_MAX) this.#counts.delete(first);
    if (isHot && before?.isTold !== true) this.#warn?.(found);
  }

  /** The lists that were written, most conflicts first. */
  found(): readonly ListContention[] {
    return [...this.#counts.values()]
      .map(({ isTold: _, ...found }) => found)
      .sort((a, b) => b.conflicts - a.conflicts);
  }
}
