// Commits to the rows of a blob, and optimistic attempts at commits that depend on earlier reads.
import type { Clock } from '#base';
import { type Decide, type Reads, type Space, type Store, StoreError } from '#store';

/**
 * Optimistic writers, which decide on what they read before their commit and retry after a conflict. After a few
 * conflicts a writer gets the blob to itself: all other commits of this process to its rows wait, each for its turn. So
 * it makes progress, whatever the others do.
 */
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

/** What commits to a blob's rows need of a context. */
interface Committing {
  readonly store: Store;
  readonly background: { readonly contests: Contests };
  /** Its commits do not wait for the writer that has the blob to itself: it is that one. */
  readonly isAlone?: boolean | undefined;
}

export const rowsName = (space: Space, blob: string): string => `${space.id}/${blob}`;

/** As the store's commit: all commits to a blob's rows are made here, so that they wait for a writer that has the blob to itself. */
export function commitRows<R>(
  { store, background, isAlone }: Committing,
  space: Space,
  blob: string,
  reads: Reads,
  decide: Decide<R>,
): Promise<R | undefined> {
  const turn =
    isAlone === true || !background.contests.areAny
      ? undefined
      : background.contests.turnOf(rowsName(space, blob));
  return turn === undefined
    ? store.commit(space, blob, reads, decide)
    : turn.then(() => store.commit(space, blob, reads, decide));
}

/** Afterwards others wait. */
const ATTEMPTS_AMONG_OTHERS = 3;
/** Other processes do not wait: 30 seconds. Within one process it takes a few attempts, for commits that were under way. */
const PATIENCE = 300_000_000n;

/** Retries until an attempt returns a result; undefined means that another writer changed what it had read. */
export async function contend<C extends Committing & { readonly clock: Clock }, T>(
  context: C,
  space: Space,
  blob: string,
  attempt: (context: C) => Promise<T | undefined>,
): Promise<T> {
  for (let count = 0; count < ATTEMPTS_AMONG_OTHERS; count++) {
    const done = await attempt(context);
    if (done !== undefined) return done;
  }
  const giveUp = context.clock() + PATIENCE;
  return context.background.contests.alone(rowsName(space, blob), async () => {
    const alone = { ...context, isAlone: true };
    do {
      const done = await attempt(alone);
      if (done !== undefined) return done;
    } while (context.clock() < giveUp);
    throw new StoreError('conflict', 'Other processes kept changing the blob.');
  });
}
