// The benchmark program: reads the command line, measures every workload on every subject in turn, prints one table. Progress goes to
// standard error. Ends with 1 if an answer was wrong or something failed; a missed goal is no failure.
//
// Where to start: options.ts has the options, subjects/subject.ts the workloads. The folders, lowest first
// (test/structure/rooms.ts):
//   machine/   memory and processor time of processes
//   load/      rows, requests, checks of answers, wrk and autocannon
//   queues/ blobs/   requests that need a client of their own
//   subjects/  what is measured: Shelfmark, Azurite, bare node:http, raw LMDB; each in processes of its own
//   report/    goals, and the table
//   cassandra/ the engine on a cluster compared with its driver
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureCassandra } from './cassandra/cassandra.js';
import { cassandraReport } from './cassandra/cassandra-report.js';
import { chooseGenerator } from './load/drive.js';
import { besideData } from './machine/process-status.js';
import { type Options, parseOptions, USAGE, UsageError } from './options.js';
import { makeDataDirectory } from './places.js';
import { type Measured, type Results, reportOf, summaryOf } from './report/report.js';
import { makeAccount } from './subjects/account.js';
import { installAzurite, startAllOfAzurite } from './subjects/azurite.js';
import { BareSubject } from './subjects/bare-subject.js';
import { LmdbSubject } from './subjects/lmdb-subject.js';
import type { ServerProcess } from './subjects/server-process.js';
import { ServerSubject } from './subjects/server-subject.js';
import { startShelfmark } from './subjects/shelfmark.js';
import type { Sample, Subject, SubjectName } from './subjects/subject.js';

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

/** A subject that had to be killed may write one last time. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;
const WARM_UP_MILLISECONDS = 1000;

/** The subjects, loaded and paused; the first is Shelfmark. `restart` starts it again on its data. */
async function startSubjects(options: Options, directory: string) {
  const { rows, connections, megabytes, subjects } = options;
  const generator = chooseGenerator(options.generator);
  const account = makeAccount();
  const shared = { rows, connections, generator, megabytes };
  const endpointsOf = (ports: readonly number[], [tables, queues, blobs]: readonly number[]) => {
    const of = (at = 0) => ({
      port: ports[at] ?? 0,
      account: account.name,
      signature: account.signature,
    });
    return { tables: of(tables), queues: of(queues), blobs: of(blobs) };
  };
  const start = (): Promise<ServerProcess> =>
    startShelfmark({ directory: join(directory, 'shelfmark'), account });
  const started: Subject[] = [];
  const load = async (name: SubjectName, server: ServerProcess, order: readonly number[]) => {
    const subject = new ServerSubject({
      ...shared,
      ...{ name, process: server, ...endpointsOf(server.ports, order) },
    });
    await subject.load();
    started.push(subject);
    return subject;
  };
  const shelfmark = await start();
  await load('shelfmark', shelfmark, [0, 1, 2]);
  if (subjects.includes('bare')) {
    const own = endpointsOf(shelfmark.ports, [0, 1, 2]);
    mkdirSync(join(directory, 'files'));
    started.push(await BareSubject.start({ ...shared, ...own, directory: join(directory, 'files') }));
  }
  if (subjects.includes('lmdb')) started.push(await LmdbSubject.start(directory, rows));
  if (subjects.includes('azurite')) {
    installAzurite(say);
    await load('azurite', await startAllOfAzurite(join(directory, 'azurite'), account), [2, 1, 0]);
  }
  for (const { process: each } of started) each.pause();
  return { started, restart: start };
}

/** One run, while all other subjects are stopped. */
async function turn(subject: Subject, workload: Measured['workload'], milliseconds: number): Promise<Sample> {
  subject.process.resume();
  await subject.process.settle();
  const sample = await subject.run(workload, milliseconds);
  subject.process.pause();
  return sample;
}

/** Runs in rotation, so that a machine that is slow for a while is slow for all. The first one warms up and is not counted. */
async function measure(options: Options, directory: string): Promise<Results> {
  const { runs, seconds, workloads } = options;
  const milliseconds = Math.round(seconds * 1000);
  const { started, restart } = await startSubjects(options, directory);
  const measured: Measured[] = [];
  for (const workload of workloads) {
    const able = started.filter(subject => subject.can(workload));
    const samples = new Map<SubjectName, Sample[]>(able.map(({ name }) => [name, []]));
    for (let run = 0; run <= runs; run++)
      for (const subject of able) {
        const time = run === 0 ? Math.min(milliseconds, WARM_UP_MILLISECONDS) : milliseconds;
        const sample = await turn(subject, workload, time);
        if (run === 0) continue;
        samples.get(subject.name)?.push(sample);
        say(`${workload}, run ${run}, ${subject.name}: ${Math.round(sample.perSecond)}`);
      }
    measured.push({ workload, samples });
  }
  const memory = started[0]?.process.memory();
  for (const { process: each } of started) await each.stop();
  const again = await restart();
  const ready = again.readyMilliseconds;
  await again.stop();
  return { measured, memory: memory && besideData(memory), ready };
}

/** The nodes that `npm run cassandra -- start 3` begins here. */
function clusterHosts(): readonly string[] {
  const first = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1);
  return process.env.SHELFMARK_CASSANDRA?.split(',') ?? [0, 1, 2].map(node => `127.0.0.${first + node}`);
}

async function run(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  if (options.store === 'cassandra') {
    const { works, rows, messages, runs, seconds } = options;
    const milliseconds = Math.round(seconds * 1000);
    const hosts = clusterHosts();
    const figures = await measureCassandra({ hosts, works, rows, messages, runs, milliseconds, say });
    process.stdout.write(`${cassandraReport(figures)}\n`);
    return;
  }
  const directory = makeDataDirectory();
  // However the benchmark ends, it removes its data; the subjects' processes are ended where they are started.
  process.once('exit', () => rmSync(directory, REMOVAL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const results = await measure(options, directory);
  const text = options.json ? JSON.stringify(summaryOf(results), undefined, 2) : reportOf(results);
  process.stdout.write(`${text}\n`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof UsageError;
  process.stderr.write(
    `${isExpected ? `${error.message}\n\n${USAGE}` : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
});
