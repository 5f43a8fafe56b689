// The command line of the benchmark as a value. docs/benchmarks.md explains the options.
import { parseArgs } from 'node:util';
import { isWork, WORKS, type Work } from './cassandra/works.js';
import type { GeneratorName } from './load/drive.js';
import { GROUP_ROWS, STRIDE } from './load/template.js';
import {
  isSubject,
  isWorkload,
  SUBJECTS,
  type SubjectName,
  WORKLOADS,
  type WorkloadName,
} from './subjects/subject.js';

export const USAGE = `npm run bench -- [options]

  --rows 20000          rows of the table, a multiple of 100
  --runs 5              interleaved runs of each workload
  --seconds 3           length of a run
  --connections 32      of a run that is not of transactions, filters or queues
  --only a,b            of ${WORKLOADS.join(', ')}
  --subjects a,b        of ${SUBJECTS.join(', ')}
  --megabytes 64        length of a large blob
  --generator wrk       or built-in, which is autocannon; default: wrk where it is on the path
  --quick               2000 rows, 4 MB, one run of a second each
  --json                medians and ratios as JSON
  --store cassandra     instead: the engine on a cluster (npm run cassandra -- start 3) compared with its driver
  --works a,b           of --store cassandra: ${WORKS.join(', ')}
  --queues 1000000      of --store cassandra: messages of the long queue
`;

export interface Options {
  readonly rows: number;
  readonly runs: number;
  readonly seconds: number;
  readonly connections: number;
  readonly workloads: readonly WorkloadName[];
  readonly subjects: readonly SubjectName[];
  readonly megabytes: number;
  readonly generator: GeneratorName | undefined;
  readonly json: boolean;
  readonly store: 'lmdb' | 'cassandra';
  readonly works: readonly Work[];
  /** In the long queue of a cluster. */
  readonly messages: number;
}

/** A mistake in the command line, in words for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const SHAPE = {
  ...{ rows: text, runs: text, seconds: text, connections: text, only: text, subjects: text },
  ...{ megabytes: text, generator: text, store: text, works: text, queues: text, quick: flag, json: flag },
  help: { type: 'boolean', short: 'h' },
} as const;

function parsePositive(name: string, given: string): number {
  const number = Number(given);
  if (number > 0 && number < Number.POSITIVE_INFINITY) return number;
  throw new UsageError(`--${name} is a number above 0, not '${given}'.`);
}

function parseCount(name: string, given: string): number {
  const number = parsePositive(name, given);
  if (!Number.isInteger(number)) throw new UsageError(`--${name} is a whole number, not '${given}'.`);
  return number;
}

/** Groups of rows are requested whole, and rows are visited by steps of a prime that must be above their number. */
function parseRows(given: string): number {
  const rows = parseCount('rows', given);
  if (rows % GROUP_ROWS === 0 && rows < STRIDE) return rows;
  throw new UsageError(`--rows is a multiple of ${GROUP_ROWS} below ${STRIDE}, not '${given}'.`);
}

function parseNames<T extends string>(
  name: string,
  given: string | undefined,
  all: readonly T[],
  isName: (text: string) => text is T,
): readonly T[] {
  if (given === undefined) return all;
  const names = given.split(',').map(part => {
    if (!isName(part)) throw new UsageError(`--${name} is of ${all.join(', ')}, not '${part}'.`);
    return part;
  });
  return all.filter(each => names.includes(each));
}

function parseChoice<T extends string>(name: string, given: string | undefined, all: readonly T[]) {
  if (given === undefined) return undefined;
  const found = all.find(each => each === given);
  if (found === undefined) throw new UsageError(`--${name} is ${all.join(' or ')}, not '${given}'.`);
  return found;
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
  const flags = parseFlags(args);
  if (flags.help === true) return undefined;
  const quick = flags.quick === true;
  const subjects = parseNames('subjects', flags.subjects, SUBJECTS, isSubject);
  if (!subjects.includes('shelfmark'))
    throw new UsageError('--subjects names shelfmark, and others to compare.');
  const store = parseChoice('store', flags.store, ['lmdb', 'cassandra']) ?? 'lmdb';
  const rowsOfStore = store === 'cassandra' ? '100000' : '20000';
  return {
    rows: parseRows(flags.rows ?? (quick ? '2000' : rowsOfStore)),
    runs: parseCount('runs', flags.runs ?? (quick ? '1' : '5')),
    seconds: parsePositive('seconds', flags.seconds ?? (quick ? '1' : '3')),
    connections: parseCount('connections', flags.connections ?? '32'),
    workloads: parseNames('only', flags.only, WORKLOADS, isWorkload),
    subjects,
    megabytes: parseCount('megabytes', flags.megabytes ?? (quick ? '4' : '64')),
    generator: parseChoice('generator', flags.generator, ['wrk', 'built-in']),
    json: flags.json === true,
    store,
    works: parseNames('works', flags.works, WORKS, isWork),
    messages: parseCount('queues', flags.queues ?? (quick ? '2000' : '1000000')),
  };
}
