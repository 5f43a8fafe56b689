// The load of one kind of requests: first some one by one, whose answers are checked whole; then many at once by wrk where it is
// installed, else by autocannon, which check only the statuses.
import { fire, type Latency } from './autocannon.js';
import { scatter } from './gaps.js';
import { ask, type Kind, requestFiller } from './request.js';
import { hasWrk, runWrk } from './wrk.js';

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Number of rows in the table, which maps sequence numbers to rows. */
  readonly rows: number;
  /** The first sequence number. */
  readonly first: number;
  readonly seconds: number;
}

export interface Load {
  readonly completed: number;
  /** Sequence numbers used: `first` to `first + used`, half-open. */
  readonly used: number;
  readonly milliseconds: number;
  readonly latency: Latency;
}

const CHECKED = 20;
let isWrkThere: boolean | undefined;

/** By autocannon; with `amount` for so many requests instead of the time. */
async function send(kind: Kind, job: Job, amount?: number): Promise<Load> {
  const fill = requestFiller(kind.request, job.rows);
  let sequence = job.first;
  const { completed, latencies, milliseconds } = await fire(
    [{ request: () => fill(sequence++) }],
    amount === undefined ? job : { port: job.port, connections: job.connections, amount },
  );
  const [done = 0] = completed;
  return {
    completed: done,
    used: sequence - job.first,
    milliseconds,
    latency: latencies[0] ?? { p50: 0, p99: 0 },
  };
}

/** Sends the requests of a kind from number 0 on, each once. */
export async function sendAll(kind: Kind, port: number, connections: number, amount: number): Promise<void> {
  await send(kind, { port, connections, rows: amount, first: 0, seconds: 0 }, amount);
}

export async function generate(kind: Kind, job: Job): Promise<Load> {
  const { port, rows, first } = job;
  const fill = requestFiller(kind.request, rows);
  for (let sequence = first; sequence < first + CHECKED; sequence++)
    kind.check(await ask(port, fill(sequence)), sequence, scatter(sequence, rows));
  const rest = { ...job, first: first + CHECKED };
  isWrkThere ??= hasWrk();
  const load = isWrkThere ? await runWrk(rest, kind.request) : await send(kind, rest);
  return { ...load, used: load.used + CHECKED };
}
