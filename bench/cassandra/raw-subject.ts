// The driver alone, executing the engine's statements (store-cassandra/layout/schema.ts) with the concurrency that
// suits them best: the upper bound for an engine of this layout. It decides nothing, and knows what it will find.
import { randomBytes } from 'node:crypto';
import cassandra from 'cassandra-driver';
import { BUCKETS, bucketOf } from '../../packages/store-cassandra/layout/bucket.js';
import * as schema from '../../packages/store-cassandra/layout/schema.js';
import { encodeText } from '../../packages/store-cassandra/layout/text.js';
import { partitionKey, rowKey } from '../load/dataset.js';
import { WrongAnswer } from '../load/job.js';
import { MEMBERS, scatter } from '../load/template.js';
import { closedLoop, once } from './closed-loop.js';
import {
  CONDITIONAL,
  fillBatch,
  inTurns,
  numbersFrom,
  QUORUM,
  type Queried,
  SERIAL,
  SET_FENCE,
} from './raw-options.js';
import { fillQueue, mostTombstones } from './raw-queue.js';
import {
  CLIENTS,
  type Created,
  type CreateJob,
  type Done,
  type FillJob,
  type Looked,
  type LookJob,
  type QueueStepJob,
  type Subject,
  spreadPartition,
  type WorkJob,
} from './works.js';

const { Tuple } = cassandra.types;
const SENTINEL = new Tuple(schema.SENTINEL, Buffer.alloc(0));
const OUTCOME_BYTES = 16;
/** For scans: as many at a time, and as large pages, as the engine requests. */
const PARTITIONS_AT_ONCE = 64;
const PAGE = 1000;
/** As many as the engine has in flight for one partition. */
const READS_AT_ONCE = 2;
const NAMES_PAGE = 5000;
const DROP_MS = 60_000;
const FILLERS = 64;
const FILL_ROWS = 100;
/**
 * With one row per partition a batch of a hundred has three hundred writes in a hundred places: more at a time exceed a
 * node's write timeout.
 */
const SPREAD_FILLERS = 4;

/** The default data center of a cluster's nodes. */
const DATA_CENTER = 'datacenter1';

export class RawSubject implements Subject {
  readonly #client: cassandra.Client;

  private constructor(client: cassandra.Client) {
    this.#client = client;
  }

  static async open(hosts: readonly string[], keyspace: string): Promise<RawSubject> {
    const client = new cassandra.Client({
      contactPoints: [...hosts],
      localDataCenter: DATA_CENTER,
      keyspace,
      encoding: { useBigIntAsLong: true },
    });
    await client.connect();
    return new RawSubject(client);
  }

  work(job: WorkJob): Promise<Done> {
    switch (job.work) {
      case 'inserts':
        return this.#insert(job, CLIENTS.inserts, 1);
      case 'transactions':
        return this.#insert(job, MEMBERS, CLIENTS.transactions);
      case 'hot-transactions':
        return this.#insert(job, MEMBERS * CLIENTS['hot-transactions'], 1);
      case 'gets':
        return this.#getTogether(job);
      case 'spread-gets':
        return this.#getSpread(job);
      default:
        return this.#scan(job);
    }
  }

  create(_job: CreateJob): Promise<Created> {
    throw new Error('The driver knows no tables.');
  }

  look(_job: LookJob): Promise<Looked> {
    throw new Error('The driver knows no tables.');
  }

  async queue(job: QueueStepJob): Promise<object> {
    if ('walked' in job) return { tombstones: await mostTombstones(this.#client) };
    if (!('fillQueue' in job)) throw new Error('The driver knows no messages.');
    await fillQueue(this.#client, job);
    return {};
  }

  async end(): Promise<void> {
    await this.#client.execute(`DROP KEYSPACE "${this.#client.keyspace}"`, [], { readTimeout: DROP_MS });
  }

  async close(): Promise<void> {
    await this.#client.shutdown();
  }

  /** One commit after another in each partition: two at once would refuse each other. */
  async #insert({ table, value, milliseconds }: WorkJob, size: number, partitions: number): Promise<Done> {
    const bytes = Buffer.from(value, 'base64');
    const sid = BigInt(table.sid);
    const fences: (bigint | null)[] = Array.from({ length: partitions }, () => null);
    const { steps, latency } = await closedLoop(partitions, milliseconds, async (client, sequence) => {
      const pk = encodeText(`p${client}`);
      const keys = Array.from({ length: size }, (_, offset) => encodeText(rowKey(sequence * size + offset)));
      const pairs = keys.map(key => new Tuple(schema.ROW, key));
      const read = await this.#client.execute(
        schema.READ_KEYS,
        [sid, pk, [SENTINEL, ...pairs]],
        fences[client] === null ? SERIAL : QUORUM,
      );
      const from: bigint | null = read.first()?.fence ?? null;
      if (from !== fences[client]) throw new WrongAnswer('raw: somebody else wrote');
      if (from === null) await this.#client.execute(schema.ENTER_PARTITION, [sid, bucketOf(pk), pk], QUORUM);
      const to = BigInt(Date.now()) * 10_000n + BigInt(sequence);
      const result = await this.#client.batch(
        [
          { query: schema.MOVE_FENCE, params: [to, sid, pk, from] },
          ...(from === null ? [{ query: schema.PUT_SENTINEL, params: [sid, pk] }] : []),
          ...keys.map(key => ({ query: schema.PUT_ROW, params: [sid, pk, key, to, bytes] })),
          { query: schema.PUT_OUTCOME, params: [sid, pk, randomBytes(OUTCOME_BYTES)] },
        ],
        CONDITIONAL,
      );
      if (!result.wasApplied()) throw new WrongAnswer('raw: a commit was refused');
      fences[client] = to;
    });
    return { rows: steps * size, latency };
  }

  /**
   * All clients' rows of one partition by two statements at a time: one for each would wait for each other in the
   * cluster, and many end with time-outs.
   */
  async #getTogether({ table, rows, milliseconds }: WorkJob): Promise<Done> {
    const size = CLIENTS.gets / READS_AT_ONCE;
    const { steps, latency } = await closedLoop(READS_AT_ONCE, milliseconds, async (_, sequence) => {
      const wanted = Array.from({ length: size }, (_, offset) => scatter(sequence * size + offset, rows));
      const pairs = wanted.map(row => new Tuple(schema.ROW, encodeText(rowKey(row))));
      const params = [BigInt(table.sid), encodeText(partitionKey(0)), [SENTINEL, ...pairs]];
      const found = await this.#client.execute(schema.READ_KEYS, params, QUORUM);
      if (found.rowLength !== new Set(wanted).size + 1) throw new WrongAnswer('raw: a row is not there');
    });
    return { rows: steps * size, latency };
  }

  async #getSpread({ table, rows, milliseconds }: WorkJob): Promise<Done> {
    const { steps, latency } = await closedLoop(CLIENTS['spread-gets'], milliseconds, async (_, sequence) => {
      const row = scatter(sequence, rows);
      const pairs = [SENTINEL, new Tuple(schema.ROW, encodeText(rowKey(row)))];
      const params = [BigInt(table.sid), encodeText(spreadPartition(row)), pairs];
      const found = await this.#client.execute(schema.READ_KEYS, params, SERIAL);
      if (found.rowLength !== 2) throw new WrongAnswer(`raw: row ${row} is not there`);
    });
    return { rows: steps, latency };
  }

  async #scan({ table, rows }: WorkJob): Promise<Done> {
    const sid = BigInt(table.sid);
    const latency = await once(async () => {
      const buckets = await Promise.all(
        Array.from({ length: BUCKETS }, (_, bucket) => this.#names(sid, bucket)),
      );
      const names = buckets.flat().sort(Buffer.compare);
      let next = 0;
      const counted: number[] = [];
      const reader = async (): Promise<void> => {
        for (let name = names[next++]; name !== undefined; name = names[next++])
          counted.push(await this.#count(sid, name));
      };
      await Promise.all(Array.from({ length: PARTITIONS_AT_ONCE }, reader));
      const seen = counted.reduce((sum, count) => sum + count, 0);
      if (seen !== rows) throw new WrongAnswer(`raw: ${seen} rows instead of ${rows}`);
    });
    return { rows, latency };
  }

  async #names(sid: bigint, bucket: number): Promise<Buffer[]> {
    const names: Buffer[] = [];
    await this.#pages(schema.LIST_PARTITIONS, [sid, bucket, Buffer.alloc(0)], QUORUM, NAMES_PAGE, rows => {
      for (const { pk } of rows) names.push(pk);
    });
    return names;
  }

  async #count(sid: bigint, name: Buffer): Promise<number> {
    let count = 0;
    await this.#pages(schema.READ_FROM, [sid, name, Buffer.alloc(0)], SERIAL, PAGE, rows => {
      count += rows.length;
    });
    return count;
  }

  async #pages(
    query: string,
    params: readonly unknown[],
    options: typeof SERIAL | typeof QUORUM,
    fetchSize: number,
    take: (rows: readonly cassandra.types.Row[]) => void,
  ): Promise<void> {
    let pageState: string | undefined;
    do {
      const state = pageState === undefined ? {} : { pageState };
      // Like the engine, which knows the fence of a partition from the second page on.
      const how = pageState === undefined ? options : QUORUM;
      const page = await this.#client.execute(query, params, { ...how, fetchSize, ...state });
      take(page.rows);
      pageState = page.pageState ?? undefined;
    } while (pageState !== undefined);
  }

  /** Without conditions: no other process is there. Small partitions go by many in one request. */
  async fill({ table, rows, partitions, values }: FillJob): Promise<void> {
    const bytes = values.map(value => Buffer.from(value, 'base64'));
    const sid = BigInt(table.sid);
    const size = rows / partitions;
    const version = BigInt(Date.now()) * 10_000n;
    const nameOf = (row: number): Buffer => encodeText(`p${String(Math.floor(row / size)).padStart(6, '0')}`);
    const batch = (queries: readonly Queried[]): Promise<void> => fillBatch(this.#client, queries);
    const fillFrom = (first: number): Promise<void> =>
      batch(
        numbersFrom(first, Math.min(rows, first + FILL_ROWS)).flatMap(row => {
          const pk = nameOf(row);
          const put = [sid, pk, encodeText(rowKey(row)), version, bytes[row % bytes.length]];
          return [
            ...(row % Math.min(size, FILL_ROWS) === 0
              ? [
                  { query: SET_FENCE, params: [version, sid, pk] },
                  { query: schema.PUT_SENTINEL, params: [sid, pk] },
                ]
              : []),
            { query: schema.PUT_ROW, params: put },
          ];
        }),
      );
    const atOnce = size < FILL_ROWS ? SPREAD_FILLERS : FILLERS;
    await inTurns(Math.ceil(rows / FILL_ROWS), atOnce, turn => fillFrom(turn * FILL_ROWS));
    const names = numbersFrom(0, partitions).map(partition => nameOf(partition * size));
    const entries = numbersFrom(0, BUCKETS).flatMap(bucket => {
      const own = names.filter(pk => bucketOf(pk) === bucket);
      return numbersFrom(0, Math.ceil(own.length / FILL_ROWS)).map(part =>
        own
          .slice(part * FILL_ROWS, (part + 1) * FILL_ROWS)
          .map(pk => ({ query: schema.ENTER_PARTITION, params: [sid, bucket, pk] })),
      );
    });
    await inTurns(entries.length, FILLERS, turn => batch(entries[turn] ?? []));
  }
}
