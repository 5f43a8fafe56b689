// The command line of the benchmark as a value. docs/benchmarks.md explains the options.
import { parseArgs } from 'node:util';
import { WORKS, type Work } from './cassandra/works.js';
import { STRIDE } from './load/gaps.js';
import { GROUP_ROWS } from './load/rows.js';
import { SUBJECTS, type SubjectName, WORKLOADS, type WorkloadName } from './subjects/subject.js';

export const USAGE = `npm run bench -- [options]

  --rows 20000        rows of the table, a multiple of 100
  --runs 5            interleaved runs of each workload
  --seconds 3         length of a run
  --only a,b          of ${WORKLOADS.join(', ')}
  --subjects a,b      of ${SUBJECTS.join(', ')}
  --json              medians and ratios as JSON
  --store cassandra   instead: a server on a cluster (npm run cassandra -- start 3); --rows 100000 is of scanned tables, a tenth of the
                      long queue, and --only of ${WORKS.join(', ')}
`;

export interface Options {
  readonly rows: number;
  readonly runs: number;
  readonly seconds: number;
  readonly workloads: readonly WorkloadName[];
  readonly subjects: readonly SubjectName[];
  readonly json: boolean;
  /** Works on a cluster, instead of the workloads. */
  readonly works: readonly Work[] | undefined;
}

/** A mistake in the command line, in words for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const SHAPE = {
  ...{ rows: text, runs: text, seconds: text, only: text, subjects: text, store: text, json: flag },
  help: { ...flag, short: 'h' },
} as const;

function parseCount(name: string, given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`--${name} is a whole number above 0, not '${given}'.`);
}

/** Groups of rows are requested whole, and rows are visited by steps of a prime that must be above their number. */
function parseRows(given: string): number {
  const rows = parseCount('rows', given);
  if (rows % GROUP_ROWS === 0 && rows < STRIDE) return rows;
  throw new UsageError(`--rows is a multiple of ${GROUP_ROWS} below ${STRIDE}, not '${given}'.`);
}

/** In the order of `all`. */
function parseNames<T extends string>(
  name: string,
  given: string | undefined,
  all: readonly T[],
): readonly T[] {
  const names: readonly string[] = given?.split(',') ?? all;
  const unknown = names.find(each => !all.some(known => known === each));
  if (unknown !== undefined) throw new UsageError(`--${name} is of ${all.join(', ')}, not '${unknown}'.`);
  return all.filter(each => names.includes(each));
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: SHAPE, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Undefined if help is asked for.
 *
 * @throws UsageError
 */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { help, rows, runs = '5', seconds = '3', only, subjects, store, json = false } = parseFlags(args);
  if (help === true) return undefined;
  if (store !== undefined && store !== 'cassandra')
    throw new UsageError(`--store is cassandra, not '${store}'.`);
  const named = parseNames('subjects', subjects, SUBJECTS);
  if (!named.includes('shelfmark'))
    throw new UsageError('--subjects names shelfmark, and others to compare.');
  return {
    rows: parseRows(rows ?? (store === undefined ? '20000' : '100000')),
    runs: parseCount('runs', runs),
    seconds: parseCount('seconds', seconds),
    workloads: store === undefined ? parseNames('only', only, WORKLOADS) : [],
    subjects: named,
    json,
    works: store === undefined ? undefined : parseNames('only', only, WORKS),
  };
}
