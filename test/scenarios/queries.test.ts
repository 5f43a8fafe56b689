// Query Entities through the official client: filters of every type against a plain model, projection, pages, 10,000 entities.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { collect, makeTable, refuses, tableClient } from '../support/clients.js';
import { changeset, type Part } from '../support/raw-batch.js';
import { inAccount, rawRequest } from '../support/raw-client.js';
import { describeTargets, type Subject } from '../support/targets.js';

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
  ['seats eq 7', f => f.seats === 7],
  ['seats ne 7', f => f.seats !== 7],
  ['7 lt seats', f => f.seats > 7],
  ['price ge 10.125 and price lt 11.5', f => f.price >= 10.125 && f.price < 11.5],
  ['price gt 20', f => f.price > 20],
  ['miles le 5000000010L', f => f.miles <= 5_000_000_010n],
  ['late eq true', f => f.late],
  ['late', f => f.late],
  ['not late and seats gt 40', f => !f.late && f.seats > 40],
  [odata`left lt ${noon}`, f => f.left < noon],
  [`id eq guid'${guidOf(42)}'`, f => f.id.value === guidOf(42)],
  ["code ge X'60' and code lt binary'70'", f => (f.code[0] ?? 0) >= 0x60 && (f.code[0] ?? 0) < 0x70],
  [odata`note eq ${"it's"}`, f => f.note === "it's"],
  [odata`note eq ${'ça va'} or seats eq 1`, f => f.note === 'ça va' || f.seats === 1],
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

/** Keys in the order in which a query must answer them. */
const inOrder = (flights: readonly Flight[]): string[] => flights.map(keyOf).sort((a, b) => (a < b ? -1 : 1));

async function fill(table: TableClient, entities: readonly Flight[]): Promise<void> {
  const partitions = new Map<string, TransactionAction[]>();
  for (const entity of entities) {
    const actions = partitions.get(entity.partitionKey) ?? [];
    partitions.set(entity.partitionKey, actions);
    actions.push(['create', { ...entity }]);
  }
  for (const actions of partitions.values()) await table.submitTransaction(actions);
}

describeTargets('queries', (subject: Subject) => {
  let table: TableClient;
  before(async () => {
    table = await makeTable(subject);
    await fill(table, FLIGHTS);
  });

  for (const [filter, model] of FILTERS) {
    test(`filter ${filter}`, async () => {
      const found = await collect(table.listEntities({ queryOptions: { filter } }));
      assert.deepEqual(found.map(keyOf), inOrder(FLIGHTS.filter(model)));
    });
  }

  test('filters find the same, page by page of whatever size', async () => {
    const filter = 'seats lt 20 or late eq true';
    const expected = inOrder(FLIGHTS.filter(f => f.seats < 20 || f.late));
    for (const maxPageSize of [4, 1000]) {
      const pages = table.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize });
      assert.deepEqual((await collect(pages)).flat().map(keyOf), expected);
    }
  });

  test('select answers what it names, and null for what is missing', async () => {
    const select = ['rowKey', 'seats', 'note'];
    const found = await collect(
      table.listEntities<{ seats: number; note: string | null }>({
        queryOptions: { filter: odata`RowKey lt ${'002'}`, select },
      }),
    );
    const members = found.map(({ etag, ...rest }) => {
      assert(etag);
      return rest;
    });
    assert.deepEqual(members, [
      { rowKey: '000', seats: 0, note: "it's" },
      { rowKey: '001', seats: 1, note: null },
    ]);
    const one = await table.getEntity('route 1', '001', { queryOptions: { select: ['late'] } });
    assert.deepEqual(Object.keys(one).sort(), ['etag', 'late', 'odata.metadata']);
  });

  test('pages have at most the requested size, from 1 to 1,000', async () => {
    const sizes = async (maxPageSize: number): Promise<number[]> =>
      (await collect(table.listEntities().byPage({ maxPageSize }))).map(page => page.length);
    assert.deepEqual(await sizes(50), [50, 50, 20]);
    assert.deepEqual(await sizes(60), [60, 60]);
    assert.deepEqual(await sizes(1000), [120]);
    await refuses(sizes(1001), 400, 'InvalidInput');
    await refuses(sizes(-1), 400, 'InvalidInput');
  });

  test('a token stays valid when the entity that it names is deleted', async () => {
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

async function* take<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

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
      const parts = MANY.slice(from, from + 100).map(
        ({ partitionKey, rowKey, n }): Part => ({
          method: 'POST',
          target: `/${table.tableName}`,
          headers: ['Prefer: return-no-content'],
          body: JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey, n }),
        }),
      );
      const { status, body } = await rawRequest(subject.server, {
        method: 'POST',
        target: inAccount(subject.server, '/$batch'),
        headers: { 'Content-Type': 'multipart/mixed; boundary=batch_1' },
        body: changeset(parts),
      });
      assert.deepEqual([status, body.match(/204 No Content/g)?.length], [202, 100]);
    }
  });

  test('all of them are listed, in order, a thousand per page', async () => {
    const pages = await collect(table.listEntities<{ n: number }>().byPage());
    assert.deepEqual(
      pages.map(page => page.length),
      Array.from({ length: 10 }, () => 1000),
    );
    assert.deepEqual(
      pages.flat().map(({ n }) => n),
      MANY.map(({ n }) => n),
    );
    assert.equal(pages.at(-1)?.continuationToken, undefined);
  });

  test('every page may be fetched by a different client', async () => {
    let continuationToken: string | undefined;
    const seen: number[] = [];
    let pages = 0;
    do {
      const client = tableClient(subject.server, table.tableName);
      const settings = { maxPageSize: 777, ...(continuationToken ? { continuationToken } : {}) };
      const [page] = await collect(take(client.listEntities<{ n: number }>().byPage(settings), 1));
      assert(page);
      seen.push(...page.map(({ n }) => n));
      continuationToken = page.continuationToken;
      pages++;
    } while (continuationToken);
    assert.equal(pages, Math.ceil(10_000 / 777));
    assert.deepEqual(
      seen,
      MANY.map(({ n }) => n),
    );
  });

  test('a rare match is found behind thousands that do not match', async () => {
    const found = await collect(table.listEntities<{ n: number }>({ queryOptions: { filter: 'n eq 9998' } }));
    assert.deepEqual(found.map(keyOf), ['part099/09998']);
  });

  test('one partition, and one range of rows', async () => {
    const filter = odata`PartitionKey eq ${'part042'} and RowKey ge ${'04290'}`;
    const found = await collect(table.listEntities<{ n: number }>({ queryOptions: { filter } }));
    assert.deepEqual(
      found.map(({ n }) => n),
      Array.from({ length: 10 }, (_, i) => 4290 + i),
    );
  });
});
