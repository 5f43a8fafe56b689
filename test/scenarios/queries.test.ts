// Query Entities through the official client: filters of every type against a plain model, projection, pages, 10,000 entities.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { collect, makeTable, refuses, tableClient } from '../support/clients.js';
import { inAccount, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

interface Flight {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly seats: number;
  readonly price: number;
  readonly miles: bigint;
  readonly late: boolean;
  readonly left: Date;
  readonly id: { readonly type: 'Guid'; readonly value: string };
  readonly code: Uint8Array;
  /** Only every third has one. */
  readonly note?: string;
}

const START = Date.UTC(2026, 0, 1);
const pad = (n: number, length: number): string => String(n).padStart(length, '0');
const guidOf = (n: number): string => `00000000-0000-4000-8000-${pad(n, 12)}`;

const FLIGHTS: readonly Flight[] = Array.from({ length: 120 }, (_, i) => ({
  partitionKey: `route ${i % 4}`,
  rowKey: pad(i, 3),
  seats: i % 50,
  price: i / 4 + 0.125,
  miles: 5_000_000_000n + BigInt(i),
  late: i % 5 === 0,
  left: new Date(START + i * 3_600_000),
  id: { type: 'Guid', value: guidOf(i) },
  code: Uint8Array.of(i, 255 - i),
  ...(i % 3 === 0 ? { note: i % 2 === 0 ? "it's" : 'ça va' } : {}),
}));

const noon = new Date(START + 12 * 3_600_000);

/** Filters with their meaning. */
const FILTERS: readonly (readonly [filter: string, model: (flight: Flight) => boolean])[] = [
  [odata`PartitionKey eq ${'route 2'}`, f => f.partitionKey === 'route 2'],
  [
    odata`PartitionKey gt ${'route 1'} and RowKey lt ${'050'}`,
    f => f.partitionKey > 'route 1' && f.rowKey < '050',
  ],
  [odata`RowKey ge ${'010'} and RowKey lt ${'020'}`, f => f.rowKey >= '010' && f.rowKey < '020'],
  ['seats ne 7', f => f.seats !== 7],
  ['7 lt seats', f => f.seats > 7],
  ['price ge 10.125 and price lt 11.5', f => f.price >= 10.125 && f.price < 11.5],
  ['price gt 20', f => f.price > 20],
  ['miles le 5000000010L', f => f.miles <= 5_000_000_010n],
  ['late', f => f.late],
  ['not late and seats gt 40', f => !f.late && f.seats > 40],
  [odata`left lt ${noon}`, f => f.left < noon],
  [`id eq guid'${guidOf(42)}'`, f => f.id.value === guidOf(42)],
  ["code ge X'60' and code lt binary'70'", f => (f.code[0] ?? 0) >= 0x60 && (f.code[0] ?? 0) < 0x70],
  [odata`note eq ${"it's"} or seats eq 1`, f => f.note === "it's" || f.seats === 1],
  [odata`note ne ${'ça va'}`, f => f.note !== undefined && f.note !== 'ça va'],
  [odata`not (note eq ${'ça va'})`, f => f.note !== 'ça va'],
  [
    "(late eq true or seats eq 3) and not (PartitionKey eq 'route 0')",
    f => (f.late || f.seats === 3) && f.partitionKey !== 'route 0',
  ],
  ["seats eq 'seven'", () => false],
  ['missing eq 1 or missing ne 1', () => false],
  [odata`Timestamp gt ${new Date(START)}`, () => true],
];

const keyOf = ({ partitionKey = '', rowKey = '' }: { partitionKey?: string; rowKey?: string }): string =>
  `${partitionKey}/${rowKey}`;

async function fill(table: TableClient): Promise<void> {
  for (const partition of new Set(FLIGHTS.map(({ partitionKey }) => partitionKey))) {
    const flights = FLIGHTS.filter(({ partitionKey }) => partitionKey === partition);
    await table.submitTransaction(flights.map((flight): TransactionAction => ['create', { ...flight }]));
  }
}

async function* take<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

describeTargets('queries', subject => {
  let table: TableClient;
  before(async () => {
    table = await makeTable(subject);
    await fill(table);
  });

  test('each filter finds what its model finds, in the order of keys, and page by page', async () => {
    for (const [filter, model] of FILTERS) {
      const expected = FLIGHTS.filter(model)
        .map(keyOf)
        .sort((a, b) => (a < b ? -1 : 1));
      const query = { queryOptions: { filter } };
      assert.deepEqual((await collect(table.listEntities(query))).map(keyOf), expected, filter);
      const pages = await collect(table.listEntities(query).byPage({ maxPageSize: 30 }));
      assert.deepEqual(pages.flat().map(keyOf), expected, filter);
    }
  });

  test('select answers what it names, and null for what is missing', async () => {
    const queryOptions = { filter: odata`RowKey lt ${'002'}`, select: ['rowKey', 'seats', 'note'] };
    const found = await collect(table.listEntities<{ seats: number; note: string | null }>({ queryOptions }));
    assert.deepEqual(
      found.map(({ etag, ...rest }) => [typeof etag, rest]),
      [
        ['string', { rowKey: '000', seats: 0, note: "it's" }],
        ['string', { rowKey: '001', seats: 1, note: null }],
      ],
    );
    const one = await table.getEntity('route 1', '001', { queryOptions: { select: ['late'] } });
    assert.deepEqual(Object.keys(one).sort(), ['etag', 'late', 'odata.metadata']);
  });

  test('pages have at most the requested size, from 1 to 1,000; a token outlives the entity that it names', async () => {
    const sizes = async (maxPageSize: number): Promise<number[]> =>
      (await collect(table.listEntities().byPage({ maxPageSize }))).map(page => page.length);
    assert.deepEqual(await sizes(50), [50, 50, 20]);
    assert.deepEqual(await sizes(60), [60, 60]);
    assert.deepEqual(await sizes(1000), [120]);
    for (const size of [1001, -1]) await refuses(sizes(size), 400, 'InvalidInput');
    const own = await makeTable(subject);
    for (const rowKey of ['a', 'b', 'c', 'd']) await own.createEntity({ partitionKey: 'p', rowKey });
    const [page] = await collect(take(own.listEntities().byPage({ maxPageSize: 2 }), 1));
    assert(page?.continuationToken);
    await own.deleteEntity('p', 'c');
    const { continuationToken } = page;
    const rest = await collect(own.listEntities().byPage({ continuationToken, maxPageSize: 2 }));
    assert.deepEqual(rest.flat().map(keyOf), ['p/d']);
  });
});

/** 100 partitions of 100 entities; in the order of their keys. */
const MANY = Array.from({ length: 10_000 }, (_, i) => ({
  partitionKey: `part${pad(Math.floor(i / 100), 3)}`,
  rowKey: pad(i, 5),
  n: i,
}));

describeTargets('10,000 entities', subject => {
  let table: TableClient;
  before(async () => {
    table = await makeTable(subject);
    for (let from = 0; from < MANY.length; from += 100) {
      const parts = MANY.slice(from, from + 100).flatMap(({ partitionKey, rowKey, n }) => [
        ...['--c', 'Content-Type: application/http', '', `POST /${table.tableName} HTTP/1.1`],
        ...['Content-Type: application/json', 'Prefer: return-no-content', ''],
        JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey, n }),
      ]);
      const head = ['--b', 'Content-Type: multipart/mixed; boundary=c', ''];
      const { status, body } = await rawRequest(subject.server, {
        method: 'POST',
        target: inAccount(subject.server, '/$batch'),
        headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
        body: [...head, ...parts, '--c--', '--b--'].join('\r\n'),
      });
      assert.deepEqual([status, body.match(/204 No Content/g)?.length], [202, 100]);
    }
  });

  test('all of them are listed in order, a thousand per page, and each page may be fetched by a different client', async () => {
    let continuationToken: string | undefined;
    const seen: number[] = [];
    const lengths: number[] = [];
    do {
      const client = tableClient(subject.server, table.tableName);
      const settings = continuationToken === undefined ? {} : { continuationToken };
      const [page] = await collect(take(client.listEntities<{ n: number }>().byPage(settings), 1));
      assert(page);
      lengths.push(page.length);
      seen.push(...page.map(({ n }) => n));
      continuationToken = page.continuationToken;
    } while (continuationToken);
    assert.deepEqual(
      lengths,
      Array.from({ length: 10 }, () => 1000),
    );
    assert.deepEqual(
      seen,
      MANY.map(({ n }) => n),
    );
  });

  test('a rare match is found behind thousands that do not match, and a range of rows in one partition', async () => {
    const keys = async (filter: string): Promise<string[]> =>
      (await collect(table.listEntities({ queryOptions: { filter } }))).map(keyOf);
    assert.deepEqual(await keys('n eq 9998'), ['part099/09998']);
    const range = await keys(odata`PartitionKey eq ${'part042'} and RowKey ge ${'04290'}`);
    assert.deepEqual([range.length, range[0], range.at(-1)], [10, 'part042/04290', 'part042/04299']);
  });
});
