// The driver alone on queues: fills one without conditions, and reads from the nodes how many tombstones their reads walked.
import type cassandra from 'cassandra-driver';
import { bucketOf } from '../../packages/store-cassandra/layout/bucket.js';
import * as schema from '../../packages/store-cassandra/layout/schema.js';
import { encodeText } from '../../packages/store-cassandra/layout/text.js';
import { changeCount, rowsOfMessage } from './messages.js';
import { again, fillBatch, inTurns, numbersFrom, QUORUM, type Queried, SET_FENCE } from './raw-options.js';
import type { QueueFillJob } from './works.js';

const FILLERS = 16;
/** Each is two rows. */
const MESSAGES_A_BATCH = 250;

export async function fillQueue(
  client: cassandra.Client,
  { fillQueue: { sid, partition }, messages }: QueueFillJob,
): Promise<void> {
  const [id, pk] = [BigInt(sid), encodeText(partition)];
  const version = BigInt(Date.now()) * 10_000n;
  const putsOf = (rows: readonly { readonly key: string; readonly value: Buffer }[]): readonly Queried[] =>
    rows.map(({ key, value }) => ({
      query: schema.PUT_ROW,
      params: [id, pk, encodeText(key), version, value],
    }));
  await again(() => client.execute(schema.ENTER_PARTITION, [id, bucketOf(pk), pk], QUORUM));
  await fillBatch(client, [
    { query: SET_FENCE, params: [version, id, pk] },
    { query: schema.PUT_SENTINEL, params: [id, pk] },
    ...putsOf([changeCount(undefined, messages)]),
  ]);
  await inTurns(Math.ceil(messages / MESSAGES_A_BATCH), FILLERS, turn => {
    const from = turn * MESSAGES_A_BATCH;
    const numbers = numbersFrom(from, Math.min(messages, from + MESSAGES_A_BATCH));
    return fillBatch(client, putsOf(numbers.flatMap(rowsOfMessage)));
  });
}

/** The most of any read of rows in the last minutes, of the node that walked the most. */
export async function mostTombstones(client: cassandra.Client): Promise<number> {
  const query = 'SELECT keyspace_name, table_name, max FROM system_views.tombstones_per_read';
  const walked = await Promise.all(
    client.hosts.values().map(async host => {
      const { rows } = await client.execute(query, [], { host });
      const own = rows.find(row => row.keyspace_name === client.keyspace && row.table_name === 'row');
      return Number(own?.max ?? 0);
    }),
  );
  return Math.max(...walked);
}
