// Small blobs compared with entities of the same server: put and insert, get and point get, lines appended by writers
// with a blob each. And the tail of point gets while large blobs are uploaded.
import { drive } from '../load/drive.js';
import type { RequestKind } from '../load/job.js';
import { insert, pointGet } from '../load/requests.js';
import { median } from '../load/statistics.js';
import { TABLE } from '../subjects/table-contestant.js';
import { inTurn } from '../subjects/turn.js';
import type { BlobWork } from './blob-load.js';
import { getSmall, putSmall } from './blob-requests.js';
import {
  type BlobsOptions,
  byTurns,
  type Case,
  loadBlobs,
  type Rate,
  type Subject,
  sampled,
  transfer,
} from './ground.js';

export const SMALL_CONTAINER = 'small';
export const SMALL_CONNECTIONS: readonly number[] = [16, 32];
/** Writers of logs: the number in the goal. */
const WRITERS = 16;
const MEGABYTE = 1_000_000;

export interface Ours extends Subject {
  readonly tables: NonNullable<Subject['tables']>;
}

/** Each number of a row or name is used once. */
class Sequence {
  #next = 0;

  take(count: number): number {
    const first = this.#next;
    this.#next += count;
    return first;
  }
}

const sequence = new Sequence();
/** More than a run can use. */
const RUN_NUMBERS = 1_000_000;

/** Rates at 16 connections, then at 32. */
export async function measureSmall(server: Ours, options: BlobsOptions): Promise<readonly Rate[]> {
  const { rows, generator } = options;
  const { tables, blobs } = server;
  const works: readonly { name: string; kind: RequestKind; port: number }[] = [
    { name: 'insert', kind: insert(tables, TABLE), port: tables.port },
    { name: 'put', kind: putSmall(blobs, SMALL_CONTAINER), port: blobs.port },
    { name: 'point get', kind: pointGet(tables, TABLE), port: tables.port },
    { name: 'get', kind: getSmall(blobs, SMALL_CONTAINER), port: blobs.port },
  ];
  const caseOf = ({ name, kind, port }: (typeof works)[number], connections: number): Case => ({
    name: `${name}, ${connections} connections`,
    run: milliseconds => {
      const job = {
        port,
        connections,
        rows,
        requests: [kind],
        first: sequence.take(RUN_NUMBERS),
        milliseconds,
      };
      return sampled(
        server,
        () => drive(job, generator),
        ({ completed }) => completed,
      );
    },
  });
  return byTurns(
    options,
    SMALL_CONNECTIONS.flatMap(connections => works.map(work => caseOf(work, connections))),
  );
}

export function measureAppends(server: Ours, options: BlobsOptions): Promise<readonly Rate[]> {
  const { tables, blobs } = server;
  const caseOf = (name: string, work: BlobWork): Case => ({
    name,
    run: milliseconds =>
      sampled(
        server,
        () =>
          loadBlobs({
            work,
            endpoint: work === 'insert' ? tables : blobs,
            container: SMALL_CONTAINER,
            clients: WRITERS,
            rows: options.rows,
            first: sequence.take(RUN_NUMBERS),
            milliseconds,
          }),
        ({ completed }) => completed,
      ),
  });
  return byTurns(options, [caseOf('insert, 16 writers', 'insert'), caseOf('append, 16 writers', 'append')]);
}

export interface Tail {
  /** Milliseconds, medians of the runs. */
  readonly quiet: number;
  readonly uploading: number;
  /** The rate of the uploads. */
  readonly megabytesPerSecond: number;
  readonly samples: readonly (readonly [quiet: number, uploading: number])[];
}

const TAIL_GETS_PER_SECOND = 1000;
const TAIL_UPLOADS = {
  transfers: 4,
  bytes: 64 * MEGABYTE,
  blockBytes: 4 * MEGABYTE,
  perSecond: 100 * MEGABYTE,
};

/** Point gets are due at a fixed rate, so that those that wait behind an upload count. */
export async function measureTail(server: Ours, options: BlobsOptions): Promise<Tail> {
  const { rows, runs, connections, milliseconds, directory, say } = options;
  const gets = async (): Promise<number> => {
    const requests = [pointGet(server.tables, TABLE)];
    const first = sequence.take(RUN_NUMBERS);
    const pace = { perSecond: TAIL_GETS_PER_SECOND, milliseconds };
    const job = { port: server.tables.port, connections, rows, requests, first, ...pace };
    return (await drive(job, 'built-in')).latency.p99;
  };
  const upload = { kind: 'upload', endpoint: server.blobs, container: SMALL_CONTAINER, directory } as const;
  const samples: [number, number][] = [];
  const rates: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const quiet = await inTurn({ processes: [server.process], data: server.data }, gets);
    const busy = await inTurn({ processes: [server.process], data: server.data }, async () => {
      const uploads = transfer({ ...upload, ...TAIL_UPLOADS, milliseconds });
      const p99 = await gets();
      return { p99, uploads: await uploads };
    });
    if (run === 0) continue;
    samples.push([quiet, busy.p99]);
    rates.push(busy.uploads.bytes / MEGABYTE / (busy.uploads.milliseconds / 1000));
    say(`p99 of point gets, run ${run}: ${quiet.toFixed(2)} ms, ${busy.p99.toFixed(2)} ms with uploads`);
  }
  return {
    quiet: median(samples.map(([quiet]) => quiet)),
    uploading: median(samples.map(([, uploading]) => uploading)),
    megabytesPerSecond: median(rates),
    samples,
  };
}
