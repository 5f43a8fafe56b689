// The benchmark program: reads the command line, runs the requested parts, prints tables and appends the record.
// Progress goes to standard error. Ends with 1 if an answer was wrong or something failed; a missed goal is no failure.
//
// Where to start: options.ts has the options, compare/comparison.ts the usual run. The folders, lowest first
// (test/structure/rooms.ts):
//   machine/   the machine and its processes: clock, memory, pauses, steal time
//   load/      load generators: rows, requests, connections, checks of answers, latencies
//   subjects/  what is measured: Shelfmark, Azurite, bare node:http, raw LMDB; each in processes of its own
//   report/    goals and verdicts, and the record in results.jsonl
//   compare/   workloads of the Table service, in rotation, and how they grow with the table
//   mixed/     a mixed load at a fixed rate, and while a table is dropped
//   queues/    the Queue service
//   scans/     scans of whole tables
//   blobs/     the Blob service
//   cassandra/ the engine on a cluster compared with its driver
//   profile/   where the server's time goes
//   wal/       the write-ahead log against transactions alone, a program of its own
//   heads/     the cost of a packet of a request's head, a program of its own
import { rmSync } from 'node:fs';
import { measureBlobs } from './blobs/blobs.js';
import { blobsReport } from './blobs/blobs-report.js';
import { measureCassandra } from './cassandra/cassandra.js';
import { cassandraReport } from './cassandra/cassandra-report.js';
import { type ComparisonOptions, compareOn } from './compare/comparison.js';
import { GROWTH_ROWS_FROM, growthReport, measureGrowth } from './compare/growth.js';
import { tableReport } from './compare/table-report.js';
import { chooseGenerator } from './load/drive.js';
import { measureMixed, measureReclaim } from './mixed/mixed.js';
import { mixedReport } from './mixed/mixed-report.js';
import { type Options, parseOptions, USAGE, UsageError } from './options.js';
import { makeDataDirectory, RESULTS } from './places.js';
import { profileWorkloads } from './profile/profiling.js';
import { measureQueues } from './queues/queues.js';
import { queuesReport } from './queues/queues-report.js';
import { record } from './report/results.js';
import { measureScans } from './scans/scans.js';
import { scansReport } from './scans/scans-report.js';
import { installAzurite } from './subjects/azurite.js';

const print = (text: string): void => {
  process.stdout.write(`${text}\n\n`);
};

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

/** A subject that had to be killed may write one last time. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

/** Minutes of each phase around a drop, by default. */
const RECLAIM_MINUTES = 1;

/** In addition to the longest one. */
const QUEUE_DEPTHS = [100, 10_000];

/** Default length of the long queue on a cluster. */
const CLUSTER_MESSAGES = 1_000_000;
const QUICK_MESSAGES = 2000;

/** What an invocation measured, as it is recorded. */
type Result = Readonly<Record<string, unknown>>;

async function compareAll(options: Options, comparison: ComparisonOptions): Promise<Result> {
  const tables: object[] = [];
  const growth: object[] = [];
  if (options.subjects.includes('azurite') && options.rows.some(rows => rows <= GROWTH_ROWS_FROM)) {
    installAzurite(say);
  }
  for (const rows of options.rows) {
    if (rows > GROWTH_ROWS_FROM) {
      const grown = await measureGrowth(rows, comparison);
      print(growthReport(grown));
      growth.push(grown);
      continue;
    }
    const { metrics, samples } = await compareOn(rows, comparison);
    print(tableReport(metrics));
    tables.push({ ...metrics, samples });
  }
  return { tables, growth };
}

/** The nodes that `npm run cassandra -- start 3` begins here. */
function clusterHosts(): readonly string[] {
  const first = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1);
  return process.env.SHELFMARK_CASSANDRA?.split(',') ?? [0, 1, 2].map(node => `127.0.0.${first + node}`);
}

async function measureCluster({ works, rows, queues, quick, runs, seconds }: Options): Promise<Result> {
  const [hosts, milliseconds] = [clusterHosts(), Math.round(seconds * 1000)];
  const messages = queues ?? (quick ? QUICK_MESSAGES : CLUSTER_MESSAGES);
  const sizes = { rows: rows.at(-1) ?? 0, messages };
  const cluster = await measureCassandra({ hosts, works, ...sizes, runs, milliseconds, say });
  print(cassandraReport(cluster));
  return { cluster };
}

async function measure(options: Options, directory: string): Promise<Result | undefined> {
  const generator = chooseGenerator(options.generator);
  const { connections, durability, workers, workloads, subjects } = options;
  const { runs, seconds, minutes, reclaim, rate, queues } = options;
  const arena = { directory, connections, durability, workers, generator, say };
  const milliseconds = Math.round(seconds * 1000);
  const rows = options.rows.at(-1) ?? 0;
  if (options.profile) {
    await profileWorkloads({ ...arena, rows, workloads, milliseconds }, print);
    return undefined;
  }
  if (options.store === 'cassandra') return measureCluster(options);
  if (queues !== undefined) {
    const withAzurite = subjects.includes('azurite');
    if (withAzurite) installAzurite(say);
    const depths = [...QUEUE_DEPTHS.filter(depth => depth < queues), queues];
    const measured = await measureQueues({ ...arena, rows, runs, milliseconds, withAzurite, depths });
    print(queuesReport(measured));
    return { queues: measured };
  }
  if (options.blobs !== undefined) {
    const { blobs: count, parts, megabytes } = options;
    const withAzurite = subjects.includes('azurite') && parts.includes('lists');
    if (withAzurite) installAzurite(say);
    const large = { count, parts, megabytes };
    const blobs = await measureBlobs({ ...arena, rows, runs, milliseconds, withAzurite, ...large });
    print(blobsReport(blobs));
    return { blobs };
  }
  if (options.scans !== undefined) {
    if (subjects.includes('azurite')) installAzurite(say);
    const scans = await measureScans({ ...arena, subjects, runs, tables: options.scans });
    print(scansReport(scans));
    return { scans };
  }
  if (minutes !== undefined || reclaim !== undefined) {
    const mixed = { ...arena, rows, runs, seconds, minutes: minutes ?? RECLAIM_MINUTES, rate };
    const measured = await (reclaim === undefined ? measureMixed(mixed) : measureReclaim(reclaim, mixed));
    print(mixedReport(measured));
    return { mixed: measured };
  }
  return compareAll(options, { ...arena, subjects, workloads, runs, milliseconds });
}

async function run(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const directory = makeDataDirectory();
  // However the benchmark ends, it removes its data; the subjects' processes are ended where they are started.
  process.once('exit', () => rmSync(directory, REMOVAL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const result = await measure(options, directory);
  if (result === undefined || !options.record) return;
  record({ options: { ...options, generator: chooseGenerator(options.generator) }, ...result });
  say(`appended to ${RESULTS}`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof UsageError;
  process.stderr.write(
    `${isExpected ? `${error.message}\n\n${USAGE}` : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
});
