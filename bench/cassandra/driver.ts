// The driver alone, executing the engine's statements (store-cassandra/layout/schema.ts) with the concurrency that suits them best: the
// upper bound for an engine of this layout. It decides nothing, and knows what it will find.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import cassandra from 'cassandra-driver';
import { BUCKETS, bucketOf } from '../../packages/store-cassandra/layout/bucket.js';
import * as schema from '../../packages/store-cassandra/layout/schema.js';
import { encodeText } from '../../packages/store-cassandra/layout/text.js';
import { scatter } from '../load/gaps.js';
import { partitionKey, rowKey } from '../load/rows.js';
import type { Sample } from '../subjects/subject.js';
import { closedLoop, timed } from './loop.js';
import { type Job, READ_ROWS, type Shape } from './works.js';

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
/** For scans: as many at a time, and as large pages, as the engine requests. */
const PARTITIONS_AT_ONCE = 64;
const PAGE = 1000;
const NAMES_PAGE = 5000;
/** As many as the engine has in flight for one partition. */
const READS_AT_ONCE = 2;
const DROP_MILLISECONDS = 60_000;
/** The default data center of a cluster's nodes. */
const DATA_CENTER = 'datacenter1';

export class Driver {
  readonly #client: cassandra.Client;

  /** Connects with its first request. */
  constructor(hosts: readonly string[], keyspace: string) {
    const encoding = { useBigIntAsLong: true };
    const options = { contactPoints: [...hosts], localDataCenter: DATA_CENTER, keyspace, encoding };
    this.#client = new cassandra.Client(options);
  }

  run(job: Job): Promise<Sample> {
    const { shape } = job;
    if (shape.kind === 'write') return this.#insert(job, shape);
    if (shape.kind === 'read') return this.#get(job, shape);
    return timed(job.rows, () => this.#scan(job));
  }

  /** The most tombstones of any read of rows in the last minutes, of the node that walked the most. */
  async mostTombstones(): Promise<number> {
    await this.#client.connect();
    const query = 'SELECT keyspace_name, table_name, max FROM system_views.tombstones_per_read';
    const walked = await Promise.all(
      this.#client.hosts.values().map(async host => {
        const { rows } = await this.#client.execute(query, [], { host });
        const own = rows.find(row => row.keyspace_name === this.#client.keyspace && row.table_name === 'row');
        return Number(own?.max ?? 0);
      }),
    );
    return Math.max(...walked);
  }

  /** Removes the keyspace. */
  async close(): Promise<void> {
    const options = { readTimeout: DROP_MILLISECONDS };
    await this.#client.execute(`DROP KEYSPACE IF EXISTS "${this.#client.keyspace}"`, [], options);
    await this.#client.shutdown();
  }

  /**
   * One commit after another in each partition, because two at once would refuse each other, of the rows of all clients
   * that share it.
   */
  #insert({ space, value, seconds }: Job, shape: Shape & { readonly kind: 'write' }): Promise<Sample> {
    const { clients, partitions } = shape;
    const size = (shape.size * clients) / partitions;
    const sid = BigInt(space.id);
    const fences: (bigint | null)[] = Array.from({ length: partitions }, () => null);
    return closedLoop(partitions, seconds, size, async (client, sequence) => {
      const pk = encodeText(`p${client}`);
      const keys = Array.from({ length: size }, (_, offset) => encodeText(rowKey(sequence * size + offset)));
      const pairs = keys.map(key => new Tuple(schema.ROW, key));
      const read = await this.#client.execute(
        schema.READ_KEYS,
        [sid, pk, [SENTINEL, ...pairs]],
        fences[client] === null ? SERIAL : QUORUM,
      );
      const from: bigint | null = read.first()?.fence ?? null;
      assert.equal(from, fences[client], 'another process wrote');
      if (from === null) await this.#client.execute(schema.ENTER_PARTITION, [sid, bucketOf(pk), pk], QUORUM);
      const to = BigInt(Date.now()) * 10_000n + BigInt(sequence);
      const result = await this.#client.batch(
        [
          { query: schema.MOVE_FENCE, params: [to, sid, pk, from] },
          ...(from === null ? [{ query: schema.PUT_SENTINEL, params: [sid, pk] }] : []),
          ...keys.map(key => ({ query: schema.PUT_ROW, params: [sid, pk, key, to, value] })),
          { query: schema.PUT_OUTCOME, params: [sid, pk, randomBytes(OUTCOME_BYTES)] },
        ],
        CONDITIONAL,
      );
      assert(result.wasApplied(), 'a commit was refused');
      fences[client] = to;
    });
  }

  /**
   * All clients' rows of one partition by two statements at a time: one for each would wait for each other in the
   * cluster, and many end with time-outs. Rows of many partitions by one statement each.
   */
  #get(
    { space, seconds }: Job,
    { clients, partitionRows }: Shape & { readonly kind: 'read' },
  ): Promise<Sample> {
    const isHot = partitionRows === READ_ROWS;
    const size = isHot ? clients / READS_AT_ONCE : 1;
    return closedLoop(clients / size, seconds, size, async (_, sequence) => {
      const rows = Array.from({ length: size }, (_, offset) => scatter(sequence * size + offset, READ_ROWS));
      const pairs = rows.map(row => new Tuple(schema.ROW, encodeText(rowKey(row))));
      const pk = encodeText(partitionKey(rows[0] ?? 0, partitionRows));
      const params = [BigInt(space.id), pk, [SENTINEL, ...pairs]];
      const found = await this.#client.execute(schema.READ_KEYS, params, isHot ? QUORUM : SERIAL);
      assert.equal(found.rowLength, new Set(rows).size + 1, 'a row is not there');
    });
  }

  async #scan({ space, rows }: Job): Promise<void> {
    const sid = BigInt(space.id);
    const names: Buffer[] = [];
    const list = async (bucket: number): Promise<void> => {
      const params = [sid, bucket, Buffer.alloc(0)];
      for await (const page of this.#pages(schema.LIST_PARTITIONS, params, QUORUM, NAMES_PAGE))
        for (const { pk } of page) names.push(pk);
    };
    await Promise.all(Array.from({ length: BUCKETS }, (_, bucket) => list(bucket)));
    names.sort(Buffer.compare);
    let [next, seen] = [0, 0];
    const reader = async (): Promise<void> => {
      for (let name = names[next++]; name !== undefined; name = names[next++])
        for await (const page of this.#pages(schema.READ_FROM, [sid, name, Buffer.alloc(0)], SERIAL, PAGE))
          seen += page.length;
    };
    await Promise.all(Array.from({ length: PARTITIONS_AT_ONCE }, reader));
    assert.equal(seen, rows);
  }

  async *#pages(
    query: string,
    params: readonly unknown[],
    first: typeof SERIAL | typeof QUORUM,
    fetchSize: number,
  ): AsyncGenerator<readonly cassandra.types.Row[]> {
    let { rows, pageState } = await this.#client.execute(query, params, { ...first, fetchSize });
    yield rows;
    while (pageState !== null && pageState !== undefined) {
      // Like the engine, which knows the fence of a partition from the second page on.
      const options = { ...QUORUM, fetchSize, pageState };
      ({ rows, pageState } = await this.#client.execute(query, params, options));
      yield rows;
    }
  }
}
