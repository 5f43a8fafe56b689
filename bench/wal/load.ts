// The load of one cell of the table: writers that commit one after the other, into an engine that this process opens.
// main.ts decides on the cells, and on the disk.
import type { Decision, ReadRows, Space, Store } from '../../packages/store/index.js';

/** One kind of writer. */
export interface Writers {
  readonly name: string;
  readonly count: number;
  /** Rows of each commit, all new, adjacent in one partition. */
  readonly rows: number;
  readonly bytes: number;
}

/** The answers to one kind of writer. */
export interface Answers {
  readonly name: string;
  readonly commitsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  readonly answers: readonly Answers[];
  /** Processor time of the whole process per commit of any kind. */
  readonly microsecondsPerCommit: number;
}

export interface Load {
  readonly writers: readonly Writers[];
  readonly warmMilliseconds: number;
  readonly milliseconds: number;
}

const PARTITIONS = 64;
/** Rows loaded before: the tree then has three levels. */
const ROWS_BEFORE = 50_000;
const ADDRESS = { account: 'bench', service: 'table', name: 'rows' };

export async function drive(store: Store, load: Load): Promise<LoadResult> {
  const space = await store.createSpace(ADDRESS, Buffer.alloc(0));
  if (space === undefined) throw new Error('The directory is not new.');
  await fill(store, space);
  const end = { at: Number.POSITIVE_INFINITY };
  const latencies = load.writers.map((): number[] => []);
  const running = load.writers.flatMap((kind, index) =>
    Array.from({ length: kind.count }, (_, number) =>
      write(store, space, kind, `${index}-${number}`, end, latencies[index] ?? []),
    ),
  );
  await pause(load.warmMilliseconds);
  for (const list of latencies) list.length = 0;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await pause(load.milliseconds);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const measured = latencies.map(list => list.slice());
  end.at = 0;
  await Promise.all(running);
  const commits = measured.reduce((sum, { length }) => sum + length, 0);
  return {
    answers: measured.map((list, index) => answersOf(load.writers[index]?.name ?? '', list, seconds)),
    microsecondsPerCommit: (user + system) / commits,
  };
}

async function fill(store: Store, space: Space): Promise<void> {
  const value = Buffer.alloc(150, 'x');
  const perCommit = 100;
  for (let first = 0; first < ROWS_BEFORE; first += perCommit * PARTITIONS) {
    const commits = Array.from({ length: PARTITIONS }, (_, partition) => {
      const puts = Array.from({ length: perCommit }, (_, row) => ({ key: keyOf(first + row), value }));
      return store.commit(space, `p${partition}`, { keys: [] }, () => ({ result: true, puts }));
    });
    await Promise.all(commits);
  }
}

async function write(
  store: Store,
  space: Space,
  { rows, bytes }: Writers,
  name: string,
  end: { readonly at: number },
  latencies: number[],
): Promise<void> {
  const value = Buffer.alloc(bytes, name);
  for (let count = 0; performance.now() < end.at; count += 1) {
    const key = keyOf(count * 7919 + 13 * name.length);
    const keys = Array.from({ length: rows }, (_, row) => `${key}-${name}-${count}-${row}`);
    const decide = (read: ReadRows): Decision<boolean> => {
      if (read.keys.some(row => row !== undefined)) throw new Error('The row is there already.');
      return { result: true, puts: keys.map(own => ({ key: own, value })) };
    };
    const began = performance.now();
    await store.commit(space, `p${(count * 31 + name.length) % PARTITIONS}`, { keys }, decide);
    latencies.push(performance.now() - began);
  }
}

/** Spread over the tree. */
const keyOf = (number: number): string =>
  (Math.imul(number + 1, 2654435761) >>> 0).toString(16).padStart(8, '0');

function answersOf(name: string, latencies: number[], seconds: number): Answers {
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { name, commitsPerSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => {
    setTimeout(resolve, milliseconds);
  });
