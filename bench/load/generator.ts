// The built-in load generator: runs a job in this process over plain sockets, with as many requests in flight as it has
// connections (closed loop) or at a fixed rate (open loop). It waits for the answers to all requests that it sent. An
// open loop opens another connection whenever all of them wait, as clients do, so that a slow answer delays no other
// request.
import { machineNow } from '../machine/machine-clock.js';
import { type Answered, Connection, type Exchange, type PreparedRequest, prepare } from './connection.js';
import type { Check, Job, JobResult } from './job.js';
import { Latencies, Series } from './statistics.js';

/** The interval of the look for due requests; those in between wait until then, and their latency includes it. */
const TICK_MILLISECONDS = 1;
/**
 * An open loop starts with enough connections for the requests that come due in this time, so that a pause of this
 * length needs no new one.
 */
const AHEAD_MILLISECONDS = 50;
/** For an open loop. Fewer than the writes that a server lets wait before it refuses; the next request waits its turn. */
const CONNECTIONS_MAX = 4000;

class Run {
  readonly #job: Job;
  readonly #requests: readonly PreparedRequest[];
  readonly #connections: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #latencies = new Latencies();
  readonly #kinds = new Map<Check['kind'], { readonly due: Series; readonly latencies: Latencies }>();
  readonly #settle: (outcome: JobResult | Error) => void;
  readonly #start = machineNow();
  readonly #countMax: number;
  readonly #until: number;
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #completed = 0;
  #absent = 0;
  #complaint: string | undefined;

  constructor(job: Job, settle: (outcome: JobResult | Error) => void) {
    const { milliseconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, perSecond } = job;
    this.#job = job;
    this.#settle = settle;
    this.#requests = job.requests.map(kind => prepare(kind, job.rows));
    this.#until = this.#start + milliseconds;
    // In an open loop the time determines how many are due in all; none of them is dropped because the server is late.
    this.#countMax = perSecond === undefined ? count : Math.floor((milliseconds / 1000) * perSecond);
  }

  begin(): void {
    const { connections, perSecond } = this.#job;
    const wanted = Math.max(connections, Math.ceil(((perSecond ?? 0) / 1000) * AHEAD_MILLISECONDS));
    for (let index = 0; index < Math.min(wanted, this.#countMax, CONNECTIONS_MAX); index++) this.#connect();
    if (perSecond !== undefined) this.#timer = setInterval(() => this.#fill(), TICK_MILLISECONDS);
    this.#fill();
    this.#endIfDone();
  }

  #connect(): void {
    const { port, rows } = this.#job;
    const connection = new Connection(port, rows, this);
    this.#connections.push(connection);
    this.#idle.push(connection);
  }

  onAnswered(connection: Connection, { since, request }: Exchange, { absent, complaint }: Answered): void {
    this.#note(request.kind.check.kind, since, machineNow() - since);
    this.#completed++;
    if (absent) this.#absent++;
    this.#complaint ??= complaint;
    this.#idle.push(connection);
    this.#fill();
    this.#endIfDone();
  }

  #note(kind: Check['kind'], since: number, milliseconds: number): void {
    const { due, latencies } = this.#kinds.get(kind) ?? { due: new Series(), latencies: new Latencies() };
    this.#kinds.set(kind, { due, latencies });
    due.add(since);
    latencies.add(milliseconds);
    this.#latencies.add(milliseconds);
  }

  onFailed(error: Error): void {
    this.#end();
    this.#settle(error);
  }

  get #isOver(): boolean {
    if (this.#complaint !== undefined || this.#sent >= this.#countMax) return true;
    return this.#job.perSecond === undefined && machineNow() >= this.#until;
  }

  get #mayConnect(): boolean {
    return this.#job.perSecond !== undefined && this.#connections.length < CONNECTIONS_MAX;
  }

  /** When request number `sent` is due. */
  #dueAt(): number {
    const { perSecond } = this.#job;
    return perSecond === undefined ? machineNow() : this.#start + (this.#sent * 1000) / perSecond;
  }

  #fill(): void {
    while (this.#mayConnect || this.#idle.length > 0) {
      if (this.#isOver) return;
      const since = this.#dueAt();
      if (since > machineNow()) return;
      if (this.#idle.length === 0) this.#connect();
      // The connection that was idle longest: a server closes one that never had a request.
      const connection = this.#idle.shift();
      const sequence = this.#job.first + this.#sent;
      const request = this.#requests[sequence % this.#requests.length];
      if (connection === undefined || request === undefined) return;
      const isChecked = this.#sent % request.kind.checkEvery === 0;
      this.#sent++;
      connection.send({ request, sequence, since, isChecked });
    }
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const connection of this.#connections) connection.close();
  }

  #endIfDone(): void {
    if (!this.#isOver || this.#completed < this.#sent) return;
    this.#end();
    const kinds = [...this.#kinds];
    this.#settle({
      completed: this.#completed,
      used: this.#sent,
      milliseconds: machineNow() - this.#start,
      latency: this.#latencies.summary(),
      latencyOf: Object.fromEntries(kinds.map(([kind, { latencies }]) => [kind, latencies.summary()])),
      momentsOf:
        this.#job.perSecond === undefined
          ? undefined
          : Object.fromEntries(
              kinds.map(([kind, { due, latencies }]) => [
                kind,
                { due: due.values, latency: latencies.values },
              ]),
            ),
      absent: this.#absent,
      complaint: this.#complaint,
    });
  }
}

/** Runs a job to its end. Fails where a connection does. */
export const generate = (job: Job): Promise<JobResult> =>
  new Promise((resolve, reject) => {
    new Run(job, outcome => {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }).begin();
  });
