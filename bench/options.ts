// The command line of the benchmark as a value. docs/benchmarks.md explains the options.
import { parseArgs } from 'node:util';
import { BLOB_PARTS, type BlobPart, isBlobPart } from './blobs/parts.js';
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
} from './subjects/contestant.js';
import type { Durability } from './subjects/shelfmark.js';

export const USAGE = `npm run bench -- [options]

  --rows 20000,300000   rows of the tables, multiples of 100; above 1000000 only growth is measured, against 100000
  --runs 5              interleaved runs of each workload
  --seconds 3           length of a run
  --connections 32      of a run that is not of transactions or filters
  --only a,b            of ${WORKLOADS.join(', ')}
  --subjects a,b        of ${SUBJECTS.join(', ')}
  --durability full     or none: what Shelfmark and raw LMDB promise
  --workers 1           processes that Shelfmark serves with
  --generator wrk       or built-in; default: wrk where it is on the path
  --quick               2000 rows, one run of a second each, nothing recorded
  --profile             instead: a CPU profile of Shelfmark under each workload
  --minutes 10          instead: a mixed load at a fixed rate
  --reclaim 1000000     instead: a mixed load while a table of so many rows is dropped
  --queues 1000000      instead: the Queue service, with queues of 100, 10000 and so many messages
  --scans 100000,1000000  instead: scans of whole tables of so many rows, narrow and wide
  --blobs 1000000       instead: the Blob service, with so many blobs in the largest container
  --store cassandra     instead: the engine on a cluster (npm run cassandra -- start 3) beside its driver alone; the last of --rows are scanned
  --works a,b           of --store cassandra: ${WORKS.join(', ')};
                        --queues are the messages of the long queue then, 1000000 unless given
  --parts a,b           of --blobs: ${BLOB_PARTS.join(', ')}
  --megabytes 64        of --blobs: the length of a large blob
  --rate 5000           of the mixed load, requests per second; default: a third of the peak, the median of --runs of --seconds
  --no-record           append nothing to bench/report/results.jsonl
`;

export interface Options {
  readonly rows: readonly number[];
  readonly runs: number;
  readonly seconds: number;
  readonly connections: number;
  readonly workloads: readonly WorkloadName[];
  readonly subjects: readonly SubjectName[];
  readonly durability: Durability;
  readonly workers: number;
  readonly generator: GeneratorName | undefined;
  readonly record: boolean;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly minutes: number | undefined;
  readonly reclaim: number | undefined;
  readonly rate: number | undefined;
  /** Messages in the longest queue. */
  readonly queues: number | undefined;
  /** In the largest container. */
  readonly blobs: number | undefined;
  readonly parts: readonly BlobPart[];
  readonly megabytes: number;
  /** What is measured on a cluster. */
  readonly store: 'lmdb' | 'cassandra';
  readonly works: readonly Work[];
  /** Rows of the tables that are scanned. */
  readonly scans: readonly number[] | undefined;
}

/** In the tables that are scanned. */
const CLUSTER_ROWS = '100000';

/** A mistake in the command line, in words for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const SHAPE = {
  rows: { type: 'string' },
  runs: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  only: { type: 'string' },
  subjects: { type: 'string' },
  durability: { type: 'string' },
  workers: { type: 'string' },
  generator: { type: 'string' },
  minutes: { type: 'string' },
  reclaim: { type: 'string' },
  rate: { type: 'string' },
  queues: { type: 'string' },
  scans: { type: 'string' },
  blobs: { type: 'string' },
  store: { type: 'string' },
  works: { type: 'string' },
  parts: { type: 'string' },
  megabytes: { type: 'string' },
  quick: { type: 'boolean' },
  profile: { type: 'boolean' },
  'no-record': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function parsePositive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < Number.POSITIVE_INFINITY)) {
    throw new UsageError(`--${name} is a number above 0, not '${text}'.`);
  }
  return number;
}

function parseCount(name: string, text: string): number {
  const number = parsePositive(name, text);
  if (!Number.isInteger(number)) throw new UsageError(`--${name} is a whole number, not '${text}'.`);
  return number;
}

/** Groups of rows are requested whole, and rows are visited by steps of a prime that must be above their number. */
function parseRows(name: string, text: string): number {
  const rows = parseCount(name, text);
  if (rows % GROUP_ROWS !== 0 || rows >= STRIDE) {
    throw new UsageError(`--${name} is a multiple of ${GROUP_ROWS} below ${STRIDE}, not '${text}'.`);
  }
  return rows;
}

function parseNames<T extends string>(
  name: string,
  text: string,
  all: readonly T[],
  isName: (text: string) => text is T,
): readonly T[] {
  const names = text.split(',').map(part => {
    if (!isName(part)) throw new UsageError(`--${name} is of ${all.join(', ')}, not '${part}'.`);
    return part;
  });
  return all.filter(each => names.includes(each));
}

function parseDurability(text: string): Durability {
  if (text !== 'full' && text !== 'none')
    throw new UsageError(`--durability is full or none, not '${text}'.`);
  return text;
}

function parseStore(text: string): Options['store'] {
  if (text !== 'lmdb' && text !== 'cassandra')
    throw new UsageError(`--store is lmdb or cassandra, not '${text}'.`);
  return text;
}

function parseGenerator(text: string): GeneratorName {
  if (text !== 'wrk' && text !== 'built-in') {
    throw new UsageError(`--generator is wrk or built-in, not '${text}'.`);
  }
  return text;
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
  const optional = <T>(name: string, text: string | undefined, parse: (name: string, text: string) => T) =>
    text === undefined ? undefined : parse(name, text);
  const subjects = parseNames('subjects', flags.subjects ?? SUBJECTS.join(','), SUBJECTS, isSubject);
  if (!subjects.includes('shelfmark'))
    throw new UsageError('--subjects names shelfmark, and others to compare.');
  const store = parseStore(flags.store ?? 'lmdb');
  const workers = parseCount('workers', flags.workers ?? '1');
  if (workers > 1 && flags.profile === true)
    throw new UsageError('--profile looks at one process, not at --workers.');
  return {
    rows: (flags.rows ?? (quick ? '2000' : store === 'cassandra' ? CLUSTER_ROWS : '20000,300000'))
      .split(',')
      .map(text => parseRows('rows', text)),
    runs: parseCount('runs', flags.runs ?? (quick ? '1' : '5')),
    seconds: parsePositive('seconds', flags.seconds ?? (quick ? '1' : '3')),
    connections: parseCount('connections', flags.connections ?? '32'),
    workloads: parseNames('only', flags.only ?? WORKLOADS.join(','), WORKLOADS, isWorkload),
    subjects,
    durability: parseDurability(flags.durability ?? 'full'),
    workers,
    generator: flags.generator === undefined ? undefined : parseGenerator(flags.generator),
    quick,
    record: !quick && flags['no-record'] !== true,
    profile: flags.profile === true,
    minutes: optional('minutes', flags.minutes, parsePositive),
    reclaim: optional('reclaim', flags.reclaim, parseRows),
    rate: optional('rate', flags.rate, parsePositive),
    queues: optional('queues', flags.queues, parseCount),
    blobs: optional('blobs', flags.blobs, parseCount),
    parts: parseNames('parts', flags.parts ?? BLOB_PARTS.join(','), BLOB_PARTS, isBlobPart),
    store,
    works: parseNames('works', flags.works ?? WORKS.join(','), WORKS, isWork),
    megabytes: parseCount('megabytes', flags.megabytes ?? (quick ? '4' : '64')),
    scans: optional('scans', flags.scans, (name, text) => text.split(',').map(each => parseRows(name, each))),
  };
}
