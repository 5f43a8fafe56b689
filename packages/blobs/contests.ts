// Optimistic writers, which decide on what they read before their commit and retry after a conflict. After a few conflicts a writer gets the blob to itself:
// all other commits of this process to its rows wait, each for its turn. So it makes progress, whatever the others do.

export class Contests {
  /** By blob, the last turn: it ends after those before it. */
  readonly #turns = new Map<string, Promise<void>>();

  get areAny(): boolean {
    return this.#turns.size > 0;
  }

  /** Resolves after those that have the blob to themselves now or wait for it; undefined where there is none. */
  turnOf(blob: string): Promise<void> | undefined {
    return this.#turns.get(blob);
  }

  /** The work may not ask for a turn of the same blob itself. */
  async alone<T>(blob: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(blob);
    let end: () => void = () => undefined;
    const turn = new Promise<void>(resolve => {
      end = resolve;
    });
    this.#turns.set(blob, turn);
    try {
      await before;
      return await work();
    } finally {
      if (this.#turns.get(blob) === turn) this.#turns.delete(blob);
      end();
    }
  }
}
