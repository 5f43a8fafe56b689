// The load of the blob workloads that a generator of numbered requests cannot make: writers with an append blob each,
// the inserts they are compared with, lists of many pages, and the filling of a server. It checks every status, and the
// number of blobs in every list.
import { Caller } from '../load/caller.js';
import type { Latency } from '../load/job.js';
import { type Endpoint, insert } from '../load/requests.js';
import type { Response } from '../load/response-parser.js';
import { Latencies } from '../load/statistics.js';
import { Template } from '../load/template.js';
import { TABLE } from '../subjects/table-contestant.js';
import { logName } from './blob-names.js';
import * as requests from './blob-requests.js';

/**
 * `create`: the container. `fill`: small blobs with names of logs. `insert`: a row into the table. `append`: a line to an append blob, one for
 * each client. `list`: all pages of the blobs with the prefix, again and again.
 */
export type BlobWork = 'create' | 'fill' | 'insert' | 'append' | 'list';

export interface BlobJob {
  readonly work: BlobWork;
  readonly endpoint: Endpoint;
  readonly container: string;
  readonly clients: number;
  /** Ends after this many, or after the time, whichever comes first. */
  readonly count?: number;
  readonly milliseconds?: number;
  /** Number of the first row, or of a name that is used once. */
  readonly first: number;
  /** Number of rows in the table for inserts. */
  readonly rows: number;
  /** For a list: its prefix, and how many blobs it must find. */
  readonly prefix?: string;
  readonly blobs?: number;
}

export interface BlobResult {
  readonly completed: number;
  readonly milliseconds: number;
  readonly latency: Latency;
}

function requireStatus({ status, body }: Response, wanted: number): void {
  if (status !== wanted) throw new Error(`status ${status}: ${body.toString('utf8', 0, 400)}`);
}

const BLOB = Buffer.from('<Blob>');
const NEXT_MARKER = /<NextMarker>([^<]*)<\/NextMarker>/;
const TAIL_BYTES = 4096;

function countBlobs(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(BLOB); at >= 0; at = body.indexOf(BLOB, at + BLOB.length)) count++;
  return count;
}

/** Empty at the last page. It stands behind the blobs. */
export const markerOf = (body: Buffer): string =>
  NEXT_MARKER.exec(body.toString('utf8', Math.max(0, body.length - TAIL_BYTES)))?.[1] ?? '';

/** Fails unless its pages have this many blobs together. */
export async function listAll(
  caller: Pick<Caller, 'ask'>,
  endpoint: Endpoint,
  container: string,
  prefix: string,
  blobs: number,
): Promise<void> {
  let found = 0;
  for (let marker: string | undefined; marker !== ''; ) {
    const response = await caller.ask(requests.listPage(endpoint, container, prefix, marker ?? ''));
    requireStatus(response, 200);
    found += countBlobs(response.body);
    marker = markerOf(response.body);
  }
  if (found !== blobs) throw new Error(`${found} blobs instead of ${blobs}`);
}

class Run {
  readonly #job: BlobJob;
  readonly #insert: Template;
  readonly #latencies = new Latencies();
  #start = performance.now();
  #begun = 0;

  constructor(job: BlobJob) {
    this.#job = job;
    this.#insert = new Template(insert(job.endpoint, TABLE).parts, job.rows);
  }

  async run(): Promise<BlobResult> {
    const { clients, endpoint } = this.#job;
    const callers = Array.from({ length: clients }, () => new Caller(endpoint.port));
    try {
      const lines = await Promise.all(callers.map((caller, client) => this.#prepare(caller, client)));
      this.#start = performance.now();
      await Promise.all(callers.map((caller, client) => this.#goOn(caller, lines[client] ?? '')));
    } finally {
      for (const caller of callers) caller.close();
    }
    const milliseconds = performance.now() - this.#start;
    return { completed: this.#latencies.count, milliseconds, latency: this.#latencies.summary() };
  }

  /** The request that appends to the client's own blob. */
  async #prepare(caller: Caller, client: number): Promise<string> {
    const { work, endpoint, container, first } = this.#job;
    if (work !== 'append') return '';
    const name = `log-${first}-${client}`;
    requireStatus(await caller.ask(requests.createAppendBlob(endpoint, container, name)), 201);
    return requests.appendLine(endpoint, container, name);
  }

  async #goOn(caller: Caller, line: string): Promise<void> {
    const { count = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY } = this.#job;
    const until = this.#start + milliseconds;
    while (this.#begun < count && performance.now() < until) {
      const number = this.#begun++;
      const since = performance.now();
      await this.#do(caller, number, line);
      this.#latencies.add(performance.now() - since);
    }
  }

  async #do(caller: Caller, number: number, line: string): Promise<void> {
    const { work, endpoint, container, first, count = 0, prefix = '', blobs = 0 } = this.#job;
    switch (work) {
      case 'create':
        return requireStatus(await caller.ask(requests.createContainer(endpoint, container)), 201);
      case 'fill': {
        const name = logName(number, count);
        return requireStatus(await caller.ask(requests.putTiny(endpoint, container, name)), 201);
      }
      case 'insert':
        return requireStatus(await caller.ask(this.#insert.bytes(first + number)), 204);
      case 'append':
        return requireStatus(await caller.ask(line), 201);
      case 'list':
        return listAll(caller, endpoint, container, prefix, blobs);
    }
  }
}

/** Runs a job to its end. Fails with the first answer that is wrong. */
export const runBlobJob = (job: BlobJob): Promise<BlobResult> => new Run(job).run();
