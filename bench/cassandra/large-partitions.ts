// A program of its own: the cost of reads, commits and scans of a large partition compared with a small one, on the
// cluster of one node that SHELFMARK_CASSANDRA names. An argument scales the partitions down, to try it.
import { randomBytes } from 'node:crypto';
import cassandra from 'cassandra-driver';
import { systemClock } from '../../packages/base/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import type { Engine, Space } from '../../packages/store/index.js';
import * as schema from '../../packages/store-cassandra/layout/schema.js';
import { encodeText } from '../../packages/store-cassandra/layout/text.js';
import { parsePlace } from '../../packages/store-cassandra/place.js';
import { rowKey } from '../load/dataset.js';
import { median } from '../load/statistics.js';
import { scatter } from '../load/template.js';
import { formatCount, formatNumber, textTable } from '../text-table.js';
import { fillBatch, inTurns, numbersFrom, SET_FENCE } from './raw-options.js';

interface Kind {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

const KINDS: readonly Kind[] = [
  { name: 'small', rows: 1000, bytes: 100 },
  { name: 'half', rows: 500_000, bytes: 100 },
  { name: 'many rows', rows: 1_000_000, bytes: 100 },
  { name: 'small, 1 KB', rows: 1000, bytes: 1024 },
  { name: 'half, 1 KB', rows: 50_000, bytes: 1024 },
  { name: 'many bytes, 1 KB', rows: 150_000, bytes: 1024 },
];
const STEPS = 60;
const BATCH = 100;
const FILLERS = 16;
const PAGE = {
  rows: 1000,
  bytes: Number.MAX_VALUE,
  examined: Number.MAX_VALUE,
  milliseconds: Number.MAX_VALUE,
};
const ALL = { ...PAGE, rows: Number.MAX_VALUE };
const part = Number(process.argv[2] ?? 1);
const host = process.env.SHELFMARK_CASSANDRA ?? '127.0.0.1';
const place = `//${host}/large_${randomBytes(4).toString('hex')}?create&replicas=1`;
const { keyspace } = parsePlace(place);

const nameOf = ({ name }: Kind): string => name.replaceAll(/[^a-z0-9]/g, '-');

async function fill(client: cassandra.Client, space: Space, kind: Kind): Promise<void> {
  const [sid, pk] = [BigInt(space.id), encodeText(nameOf(kind))];
  const version = BigInt(Date.now()) * 10_000n;
  const value = randomBytes(kind.bytes);
  await fillBatch(client, [
    { query: SET_FENCE, params: [version, sid, pk] },
    { query: schema.PUT_SENTINEL, params: [sid, pk] },
  ]);
  await inTurns(kind.rows / BATCH, FILLERS, turn => {
    const puts = numbersFrom(turn * BATCH, (turn + 1) * BATCH).map(row => ({
      query: schema.PUT_ROW,
      params: [sid, pk, encodeText(rowKey(row)), version, value],
    }));
    return fillBatch(client, puts);
  });
}

async function timed(step: (at: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < STEPS; at++) {
    const start = performance.now();
    await step(at);
    times.push(performance.now() - start);
  }
  return median(times);
}

async function measure(store: Engine, space: Space, kind: Kind): Promise<readonly string[]> {
  const partition = nameOf(kind);
  const value = randomBytes(kind.bytes);
  const keyAt = (at: number): string => rowKey(scatter(at, kind.rows));
  const put = (keys: readonly string[]) =>
    store.commit(space, partition, { keys }, () => ({
      result: true,
      puts: keys.map(key => ({ key, value })),
    }));
  const scanFrom = (key: string, budget: typeof PAGE) =>
    store.scan(
      space,
      { from: { partition, key }, until: { partition: `${partition}\u0000`, key: '' } },
      budget,
      () => true,
    );
  const read = await timed(at => store.read(space, partition, [keyAt(at)]));
  const one = await timed(at => put([keyAt(at + STEPS)]));
  const hundred = await timed(at =>
    put(
      Array.from({ length: BATCH }, (_, offset) => rowKey(scatter(at, kind.rows / BATCH) * BATCH + offset)),
    ),
  );
  const page = await timed(at => scanFrom(keyAt(at), PAGE));
  const start = performance.now();
  const { examined } = await scanFrom('', ALL);
  const rate = (examined * 1000) / (performance.now() - start);
  return [
    kind.name,
    formatCount(kind.rows),
    formatNumber((kind.rows * kind.bytes) / 1e6),
    ...[read, one, hundred, page].map(formatNumber),
    formatCount(rate),
  ];
}

const HEADER = [
  'partition',
  'rows',
  'MB',
  'read ms',
  'commit ms',
  'of 100 rows',
  'page of 1,000',
  'scan rows/s',
];

const store = await ENGINES.open(`cassandra:${place}`, {
  clock: systemClock,
  durability: 'full',
  exclusive: false,
});
const client = new cassandra.Client({
  contactPoints: [host],
  localDataCenter: 'datacenter1',
  keyspace,
  encoding: { useBigIntAsLong: true },
});
try {
  const address = { account: 'a', service: 'table', name: 'large' };
  const space = await store.createSpace(address, Buffer.alloc(0));
  if (space === undefined) throw new Error('The table is there.');
  await client.connect();
  const kinds = KINDS.map(kind => ({
    ...kind,
    rows: Math.max(1000, Math.ceil((kind.rows * part) / BATCH) * BATCH),
  }));
  const lines: (readonly string[])[] = [];
  for (const kind of kinds) {
    await fill(client, space, kind);
    lines.push(await measure(store, space, kind));
    process.stderr.write(`${lines.at(-1)?.join('  ')}\n`);
  }
  process.stdout.write(`${textTable([HEADER, ...lines.map(line => [...line])], 1)}\n`);
} finally {
  await store.close();
  await client.execute(`DROP KEYSPACE "${keyspace}"`, [], { readTimeout: 60_000 });
  await client.shutdown();
}
