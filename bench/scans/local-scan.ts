// Scans without a server: raw LMDB, as a program would use it, over a file of the same rows; and the engine of
// Shelfmark over its own files, to which the rest of the server adds its work. Every row is visited, and a byte of
// every value is read.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../packages/base/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import { WrongAnswer } from '../load/job.js';
import { MEMBERS, Template } from '../load/template.js';
import { open } from '../subjects/lmdb.js';
import { entityOf, type Shape } from './shapes.js';

export interface LocalScan {
  readonly kind: 'lmdb' | 'engine';
  /** The directory of the file made of the rows, or of the server's data. */
  readonly directory: string;
  readonly account: string;
  readonly table: string;
  readonly shape: Shape;
  readonly rows: number;
  /** After some that are not counted. */
  readonly runs: number;
}

const WARM_UP_RUNS = 3;
const BATCHES_A_TRANSACTION = 100;
const NO_BOUND = Number.POSITIVE_INFINITY;

/** Milliseconds of each run. */
export async function scanLocally(scan: LocalScan): Promise<{ readonly milliseconds: readonly number[] }> {
  const walk = scan.kind === 'lmdb' ? await openRaw(scan) : await openEngine(scan);
  const milliseconds: number[] = [];
  for (let run = -WARM_UP_RUNS; run < scan.runs; run += 1) {
    const start = performance.now();
    const seen = await walk.scan();
    if (seen !== scan.rows) throw new WrongAnswer(`${scan.kind}: ${seen} rows instead of ${scan.rows}`);
    if (run >= 0) milliseconds.push(performance.now() - start);
  }
  await walk.close();
  return { milliseconds };
}

interface Walk {
  /** The number of rows. */
  scan(): Promise<number>;
  close(): Promise<void>;
}

async function openRaw({ directory, shape, rows }: LocalScan): Promise<Walk> {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'raw.mdb');
  const isNew = !existsSync(path);
  const database = open(path, { encoding: 'binary', overlappingSync: false, noSync: true });
  const values = Array.from({ length: MEMBERS }, (_, offset) => new Template(entityOf(shape)(offset), rows));
  const put = (sequence: number): void => {
    for (const [offset, value] of values.entries()) {
      void database.put(String(sequence * MEMBERS + offset).padStart(10, '0'), value.bytes(sequence));
    }
  };
  for (let from = 0; isNew && from < rows / MEMBERS; from += BATCHES_A_TRANSACTION) {
    await database.transaction(() => {
      for (
        let sequence = from;
        sequence < Math.min(from + BATCHES_A_TRANSACTION, rows / MEMBERS);
        sequence += 1
      )
        put(sequence);
    });
  }
  const scan = async (): Promise<number> => {
    let count = 0;
    for (const { value } of database.getRange({ start: '', end: ':' }))
      if (value[0] !== undefined) count += 1;
    return count;
  };
  return { scan, close: () => database.close() };
}

async function openEngine({ directory, account, table }: LocalScan): Promise<Walk> {
  const store = await ENGINES.open(`lmdb:${directory}`, {
    clock: systemClock,
    durability: 'full',
    exclusive: true,
  });
  const space = await store.getSpace({ account, service: 'table', name: table });
  if (space === undefined) throw new WrongAnswer(`engine: there is no table ${table}`);
  const budget = { rows: NO_BOUND, bytes: NO_BOUND, examined: NO_BOUND, milliseconds: NO_BOUND };
  const scan = async (): Promise<number> => {
    let count = 0;
    await store.scan(space, { from: { partition: '', key: '' } }, budget, ({ value }) => {
      if (value[0] !== undefined) count += 1;
      return false;
    });
    return count;
  };
  return { scan, close: () => store.close() };
}
