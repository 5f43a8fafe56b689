// A journal whose run is killed at one of its entries, before or after the entry is written. A resumed run appends to it.

export class KilledJournal<Entry> {
  readonly entries: Entry[] = [];
  #left: number;
  readonly #isWritten: boolean;

  /** @param nth from 0. */
  constructor(nth: number, isWritten: boolean) {
    this.#left = nth;
    this.#isWritten = isWritten;
  }

  readonly append = (entry: Entry): void => {
    const isKilled = this.#left-- === 0;
    if (!isKilled || this.#isWritten) this.entries.push(entry);
    if (!isKilled) return;
    throw new Error('killed');
  };
}

/** For a run that is not killed. */
export const wholeJournal = <Entry>(): KilledJournal<Entry> => new KilledJournal(-1, true);

/** Each of these entries, and both moments. */
export const kills = (entries: readonly number[]) =>
  entries.flatMap(nth =>
    [true, false].map(isWritten => ({
      nth,
      isWritten,
      which: `killed at ${nth}, ${isWritten ? 'after' : 'before'} the journal had it`,
    })),
  );
