// A store as a kill leaves it: its log has batches, and its trees the first of them.
import { collectRows, type Row, type Store } from '#store';
import { type Environment, openEnvironment } from '../environment.js';
import { Counters } from '../layout/catalog.js';
import { EVERYTHING, openSpace, UNBOUNDED } from './fixture.js';
import { appendBatch, createLog, type LogBatch, rowBytes } from './log-batch.js';

const ADDRESS = { account: 'dev', service: 'table', name: 'fruit' };
export const NOW = 17_000_000_000_000_000n;

/** Where the log begins: after this tick, with rows of this space. */
interface Begun {
  readonly tick: bigint;
  readonly space: number;
}

/** Values by key; undefined removes the row. */
type Puts = Readonly<Record<string, string | undefined>>;

/** Batches one after the other, each with so many ticks. */
export const batchesOf =
  (batches: readonly Puts[], ticks = 1n) =>
  ({ tick: begun, space }: Begun): LogBatch[] =>
    batches.map((puts, index) => {
      const basis = begun + ticks * BigInt(index);
      const tick = basis + ticks;
      const changes = Object.entries(puts).map(([key, value]) => ({
        key: [space, 'p', key] as [number, string, string],
        bytes: value === undefined ? undefined : rowBytes(tick, Buffer.from(value)),
      }));
      return { basis, tick, changes };
    });

interface Leaving {
  /** How many batches the trees have. */
  readonly applied?: number;
  /** The last transaction. */
  readonly atEnd?: (environment: Environment, begun: Begun) => void;
}

/** Creates the space if it does not exist. Returns the log's epoch. */
export async function leaveStore(
  directory: string,
  batches: (begun: Begun) => readonly LogBatch[],
  { applied = 0, atEnd }: Leaving = {},
): Promise<bigint> {
  const environment = openEnvironment({ directory, durability: 'none' });
  const { catalog, rows } = environment;
  const counters = new Counters(() => NOW);
  let space = 0;
  await environment.transaction(() => {
    counters.load(catalog);
    space = catalog.getSpace(ADDRESS)?.id ?? counters.nextSpaceId();
    catalog.putSpace({ ...ADDRESS, id: space, created: NOW, metadata: Buffer.alloc(0) });
    if (counters.tick < NOW) counters.useTick(NOW);
    counters.save(catalog);
  });
  const begun = { tick: counters.tick, space };
  const epoch = environment.log.nextEpoch();
  const log = await createLog(directory, epoch);
  await environment.transaction(() => environment.log.begin());
  const appended = batches(begun);
  for (const batch of appended) await appendBatch(log, batch);
  log.close();
  await environment.transaction(() => {
    for (const { tick, changes } of appended.slice(0, applied)) {
      for (const { key, bytes } of changes) rows.apply(key, bytes);
      catalog.putCounters({ ...catalog.getCounters(), tick });
    }
    atEnd?.(environment, begun);
  });
  await environment.close();
  return epoch;
}

/** The rows of the space, by their keys. */
export async function rowsOf(store: Store): Promise<ReadonlyMap<string, Row>> {
  const { rows } = await collectRows(store, await openSpace(store, ADDRESS), EVERYTHING, UNBOUNDED);
  return new Map(rows.map(row => [row.key, row]));
}

/** Texts by key. */
export async function textsOf(store: Store): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries([...(await rowsOf(store))].map(([key, { value }]) => [key, value.toString()]));
}
