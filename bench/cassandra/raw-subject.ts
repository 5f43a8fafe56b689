// The driver alone, doing the engine's statements (store-cassandra/layout/schema.ts) with the concurrency that suits them best: the most that an engine of this
// layout could reach. It decides nothing, and knows what it will find.
import { randomBytes } from 'node:crypto';
import cassandra from 'cassandra-driver';
import { BUCKETS, bucketOf } from '../../packages/store-cassandra/layout/bucket.js';
import * as schema from '../../packages/store-cassandra/layout/schema.js';
import { encodeText } from '../../packages/store-cassandra/layout/text.js';
import { partitionKey, rowKey } from '../load/dataset.js';
import { WrongAnswer } from '../load/job.js';
import { MEMBERS, scatter } from '../load/template.js';
import { closedLoop } from './closed-loop.js';
import {
  CLIENTS,
  type Done,
  type FillJob,
  type Looked,
  type LookJob,
  type Subject,
  type WorkJob,
} from './works.js';

const { consistencies, Tuple } = cassandra.types;
const SERIAL = { prepare: true, consistency: consistencies.localSerial, autoPage: false } as const;
const QUORUM = { prepare: true, consistency: consistencies.localQuorum, autoPage: false } as const;
const CONDITIONAL = {
  prepare: true,
  logged: false,
  consistency: consistencies.localQuorum,
  serialConsistency: consistencies.localSerial,
} as const;
const SENTINEL = new Tuple(schema.SENTINEL, Buffer.alloc(0));
const OUTCOME_BYTES = 16;
/** Of scans: as many at a time, and as large pages, as the engine asks for. */
const PARTITIONS_AT_ONCE = 64;
const PAGE = 1000;
const NAMES_PAGE = 5000;
const DROP_MS = 60_000;
const FILLERS = 64;
const FILL_ROWS = 100;
const SET_FENCE = 'UPDATE row SET fence = ? WHERE sid = ? AND pk = ?';

/** Where nothing else is said the nodes of a cluster are in it. */
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
        return this.#get(job);
      default:
        return this.#scan(job);
    }
  }

  look(_job: LookJob): Promise<Looked> {
    throw new Error('The driver knows no tables.');
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
      const read = await this.#client.execute(schema.READ_KEYS, [sid, pk, [SENTINEL, ...pairs]], SERIAL);
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

  async #get({ table, rows, milliseconds }: WorkJob): Promise<Done> {
    const { steps, latency } = await closedLoop(CLIENTS.gets, milliseconds, async (_, sequence) => {
      const row = scatter(sequence, rows);
      const pairs = [SENTINEL, new Tuple(schema.ROW, encodeText(rowKey(row)))];
      const params = [BigInt(table.sid), encodeText(partitionKey(row)), pairs];
      const found = await this.#client.execute(schema.READ_KEYS, params, SERIAL);
      if (found.rowLength !== 2) throw new WrongAnswer(`raw: row ${row} is not there`);
    });
    return { rows: steps, latency };
  }

  async #scan({ table, rows }: WorkJob): Promise<Done> {
    const sid = BigInt(table.sid);
    const { latency } = await closedLoop(1, 1, async () => {
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
      const page = await this.#client.execute(query, params, { ...options, fetchSize, ...state });
      take(page.rows);
      pageState = page.pageState ?? undefined;
    } while (pageState !== undefined);
  }

  /** Without conditions: nobody else is there. */
  async fill({ table, rows, partitions, values }: FillJob): Promise<void> {
    const bytes = values.map(value => Buffer.from(value, 'base64'));
    const sid = BigInt(table.sid);
    const size = rows / partitions;
    const part = Math.min(size, FILL_ROWS);
    let next = 0;
    const filler = async (): Promise<void> => {
      for (let first = part * next++; first < rows; first = part * next++) {
        const version = BigInt(Date.now()) * 10_000n;
        const pk = encodeText(`p${String(Math.floor(first / size)).padStart(6, '0')}`);
        const row = (number: number) => [encodeText(rowKey(number)), version, bytes[number % bytes.length]];
        const numbers = Array.from({ length: part }, (_, offset) => first + offset);
        await this.#client.batch(
          [
            { query: SET_FENCE, params: [version, sid, pk] },
            { query: schema.PUT_SENTINEL, params: [sid, pk] },
            ...numbers.map(number => ({ query: schema.PUT_ROW, params: [sid, pk, ...row(number)] })),
          ],
          { ...QUORUM, logged: false },
        );
        if (first % size === 0)
          await this.#client.execute(schema.ENTER_PARTITION, [sid, bucketOf(pk), pk], QUORUM);
      }
    };
    await Promise.all(Array.from({ length: FILLERS }, filler));
  }
}
