// The benchmark program: reads the command line, measures every workload on every subject in turn, prints one table. Progress goes to
// standard error. Ends with 1 if an answer was wrong or something failed; a missed goal is no failure.
//
// Where to start: options.ts has the options, subjects/subject.ts the workloads. The folders, lowest first
// (test/structure/rooms.ts):
//   load/        rows, requests, checks of answers, wrk and autocannon
//   subjects/    what is measured: Shelfmark, Azurite, bare node:http, each in a process of its own; raw LMDB
//   cassandra/   a server on a cluster
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { measureCassandra } from './cassandra/measure.js';
import { type Options, parseOptions, USAGE, UsageError } from './options.js';
import { DATA } from './places.js';
import { jsonOf, type Line, tableOf } from './report.js';
import { type Account, makeAccount } from './subjects/account.js';
import { installAzurite, startAllOfAzurite } from './subjects/azurite.js';
import { startBare } from './subjects/bare.js';
import { type Endpoints, HttpSubject } from './subjects/http-subject.js';
import { RawLmdb } from './subjects/raw-lmdb.js';
import type { ServerProcess } from './subjects/server-process.js';
import { startShelfmark } from './subjects/shelfmark.js';
import { goalsOf, type Sample, type Subject, takesPart, type WorkloadName } from './subjects/subject.js';

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

/** A subject that had to be killed may write one last time. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;
const WARM_UP_SECONDS = 1;
const MEGABYTE = 1_000_000;
/** Without the mapped file. */
const MEMORY_MEGABYTES_MAX = 200;
const READY_MILLISECONDS_MAX = 500;

function endpointsOf({ ports }: ServerProcess, account: Account, order: readonly number[]): Endpoints {
  const { name, signature } = account;
  const [tables, queues, blobs] = order.map(at => ({ port: ports[at] ?? 0, account: name, signature }));
  if (tables === undefined || queues === undefined || blobs === undefined)
    throw new TypeError('Three ports.');
  return { tables, queues, blobs };
}

/** The subjects, loaded and paused; the first is Shelfmark. `restart` starts it again on its data. */
async function startSubjects({ rows, subjects }: Options, directory: string) {
  const account = makeAccount();
  const start = () => startShelfmark(['--data', join(directory, 'shelfmark')], account);
  const shelfmark = await start();
  const own = endpointsOf(shelfmark, account, [0, 1, 2]);
  const first = new HttpSubject('shelfmark', shelfmark, own, rows);
  await first.load();
  const started: Subject[] = [first];
  if (subjects.includes('azurite')) {
    installAzurite(say);
    const azurite = await startAllOfAzurite(join(directory, 'azurite'), account);
    const subject = new HttpSubject('azurite', azurite, endpointsOf(azurite, account, [2, 1, 0]), rows);
    await subject.load();
    started.push(subject);
  }
  if (subjects.includes('bare')) started.push(await startBare(directory, own, rows));
  if (subjects.includes('lmdb')) started.push(await RawLmdb.open(join(directory, 'raw.mdb'), rows));
  for (const { process: each } of started) each?.pause();
  return { started, shelfmark, restart: start };
}

/** One run, while all other subjects are stopped. */
async function turn(subject: Subject, workload: WorkloadName, seconds: number): Promise<Sample> {
  const { process: own, name } = subject;
  own?.resume();
  try {
    return await subject.run(workload, seconds);
  } catch (cause) {
    throw new Error(`${workload} of ${name} failed.`, { cause });
  } finally {
    own?.pause();
  }
}

/**
 * Runs in rotation, so that a machine that is slow for a while is slow for all. The first one warms up, does what the
 * workload before has left to do, and is not counted.
 */
async function measure(options: Options, directory: string): Promise<readonly Line[]> {
  const { started, shelfmark, restart } = await startSubjects(options, directory);
  const lines: Line[] = [];
  for (const workload of options.workloads) {
    const able = started.filter(({ name }) => takesPart(name, workload));
    const samples = new Map<string, Sample[]>(able.map(({ name }) => [name, []]));
    // On a shared machine the second of two alike subjects is 7 to 11 % faster: every other run begins with the last.
    const orders = [able, able.toReversed()];
    for (let run = 0; run <= options.runs; run++)
      for (const subject of orders[run % 2] ?? able) {
        const sample = await turn(subject, workload, run === 0 ? WARM_UP_SECONDS : options.seconds);
        if (run === 0) continue;
        samples.get(subject.name)?.push(sample);
        say(`${workload}, run ${run}, ${subject.name}: ${Math.round(sample.perSecond)}`);
      }
    const unit = /^(?:up|down)load/.test(workload) ? 'MB/s' : '/s';
    lines.push({ workload, unit, samples, goals: goalsOf(workload) });
  }
  const memory = shelfmark.memory();
  for (const subject of started) await subject.close();
  const again = await restart();
  await again.stop();
  const of = (workload: string, unit: string, value: number, most: number): Line => ({
    ...{ workload, unit, samples: new Map([['shelfmark', [{ perSecond: value }]]]) },
    others: [{ name: '', value, most }],
  });
  if (memory !== undefined) lines.push(of('memory', 'MB', memory / MEGABYTE, MEMORY_MEGABYTES_MAX));
  lines.push(of('ready', 'ms', again.readyMilliseconds, READY_MILLISECONDS_MAX));
  return lines;
}

async function run(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  mkdirSync(DATA, { recursive: true });
  const directory = mkdtempSync(join(DATA, 'run-'));
  // However the benchmark ends, it removes its data; the subjects' processes are ended where they are started.
  process.once('exit', () => rmSync(directory, REMOVAL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { works, json } = options;
  const lines =
    works === undefined ? await measure(options, directory) : await measureCassandra(options, works, say);
  process.stdout.write(`${json ? jsonOf(lines) : tableOf(lines)}\n`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : `${inspect(error)}\n`);
  process.exit(1);
});
