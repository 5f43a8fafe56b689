// Runs a job: first some of its requests one by one, whose answers are checked whole, then the load by wrk or autocannon,
// of whose answers only the statuses are.
import { createRequire } from 'node:module';
import { Caller } from './caller.js';
import { complaintOf } from './checks.js';
import { type Job, type JobResult, type RequestKind, WrongAnswer } from './job.js';
import { Template } from './template.js';
import { isForWrk, runWrk, wrkVersion } from './wrk.js';

/** `built-in` is autocannon, which is installed with the project. */
export type GeneratorName = 'wrk' | 'built-in';

/** The part of autocannon that is used; it has no types. */
interface Shot {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}
interface Fired {
  readonly '2xx': number;
  readonly non2xx: number;
  readonly errors: number;
  readonly start: Date;
  readonly finish: Date;
  readonly latency: Readonly<Record<'p50' | 'p99' | 'p99_9' | 'max', number>>;
}
type Autocannon = (options: object) => Promise<Fired>;
const autocannon: Autocannon = createRequire(import.meta.url)('autocannon');

const CHECKED = 20;
/** How often autocannon looks whether its time is up. */
const LOOK_MILLISECONDS = 50;
const TIMEOUT_SECONDS = 60;
const HEAD_END = '\r\n\r\n';

/** wrk if it is installed, by default. */
export function chooseGenerator(wanted: GeneratorName | undefined): GeneratorName {
  if (wanted !== undefined) return wanted;
  return wrkVersion() === undefined ? 'built-in' : 'wrk';
}

function shotOf(text: string): Shot {
  const end = text.indexOf(HEAD_END);
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = lines.map(each => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)]);
  return { method, path, headers: Object.fromEntries(headers), body: text.slice(end + HEAD_END.length) };
}

/** Requests from `first` on, one after the other. @returns how many. */
async function checkAnswers({ port, rows, first }: Job, { parts, check }: RequestKind): Promise<number> {
  const template = new Template(parts, rows);
  const caller = new Caller(port);
  try {
    for (let sequence = first; sequence < first + CHECKED; sequence++) {
      const complaint = complaintOf(check, await caller.ask(template.bytes(sequence)), sequence, rows);
      if (complaint !== undefined) throw new WrongAnswer(complaint);
    }
  } finally {
    caller.close();
  }
  return CHECKED;
}

async function fire({ port, connections, rows, first, count, milliseconds }: Job, kind: RequestKind) {
  const template = new Template(kind.parts, rows);
  let sequence = first;
  const setupRequest = (shot: Shot): Shot =>
    Object.assign(shot, shotOf(template.bytes(sequence++).toString('latin1')));
  const fired = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: Math.min(connections, count ?? connections),
    ...(count === undefined ? { duration: (milliseconds ?? 0) / 1000 } : { amount: count }),
    sampleInt: LOOK_MILLISECONDS,
    timeout: TIMEOUT_SECONDS,
    requests: [{ setupRequest }],
  });
  if (fired.errors + fired.non2xx > 0)
    throw new WrongAnswer(`${fired.non2xx} answers of failures, ${fired.errors} errors of connections`);
  const { p50, p99, p99_9: p999, max } = fired.latency;
  return {
    completed: fired['2xx'],
    used: sequence - first,
    milliseconds: fired.finish.getTime() - fired.start.getTime(),
    latency: { p50, p99, p999, max },
  };
}

/** @throws WrongAnswer if a status, or the answer to one of the first requests, is wrong. */
export async function drive(job: Job, generator: GeneratorName): Promise<JobResult> {
  const [kind] = job.requests;
  if (kind === undefined) throw new TypeError('A job without requests.');
  // A job of so many requests fills a table; each of them must be sent once.
  const checked = job.count === undefined ? await checkAnswers(job, kind) : 0;
  const loaded = { ...job, first: job.first + checked };
  const result = await (generator === 'wrk' && isForWrk(job) ? runWrk(loaded, kind) : fire(loaded, kind));
  return { ...result, used: result.used + checked };
}
