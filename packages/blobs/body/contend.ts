// Commits to the rows of a blob, and optimistic attempts at commits that depend on earlier reads (background-work.ts).
import { type Decide, type Reads, type Space, StoreError } from '#store';
import type { BlobContext } from '../blob-context.js';

/** What commits to a blob's rows need of a context. */
type Committing = Pick<BlobContext, 'store' | 'background' | 'isAlone'>;

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
export async function contend<T>(
  context: BlobContext,
  space: Space,
  blob: string,
  attempt: (context: BlobContext) => Promise<T | undefined>,
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
