// Queries over property bags: rows of any shape, read without an entity.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, Instant, key, PatternError, t } from '#patterns';
import { encodeBag, Sender, TableRequests, type TypedValue } from '#patterns/internals';
import { bags, mixed } from '#patterns/mixed';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const text = (value: string): TypedValue => ({ type: 'String', value });

const ROWS: readonly (readonly [string, string, Readonly<Record<string, TypedValue>>])[] = [
  ['a', '1', { city: text('Rome'), age: { type: 'Int32', value: 31 } }],
  ['a', '2', { city: text('Rome'), age: { type: 'Int64', value: 9n } }],
  [
    'a',
    '3',
    {
      at: { type: 'DateTime', value: Instant.parse('1970-01-01') },
      isOpen: { type: 'Boolean', value: true },
    },
  ],
  ['b', '1', { city: text('Oslo'), EntityType: text('Some.1') }],
];

describePeers('property bags', peer => {
  /** A table whose rows have nothing in common. */
  async function tableOfAll(): Promise<string> {
    const table = await peer.newTable();
    const requests = new TableRequests(new Sender(peer.client()));
    for (const [partitionKey, rowKey, properties] of ROWS) {
      const row = encodeBag({ table, partitionKey, rowKey, properties: new Map(Object.entries(properties)) });
      await requests.write({ kind: 'create', table, row });
    }
    return table;
  }

  test('have their properties with the types that they have', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    const first = (await reads.get('a', '1')) ?? assert.fail();
    assert.deepEqual(
      [first.partitionKey, first.rowKey, first.tag, first.entity],
      ['a', '1', undefined, undefined],
    );
    assert.deepEqual(first.properties.get('age'), { type: 'Int32', value: 31 });
    const [, second, third] = await reads.partition('a').take(10);
    assert.deepEqual(second?.properties.get('age'), { type: 'Int64', value: 9n });
    assert.deepEqual(third?.properties.get('isOpen'), { type: 'Boolean', value: true });
    assert.equal((await reads.get('b', '1'))?.tag, 'Some.1');
    assert.equal(await reads.get('b', '2'), undefined);
  });

  test('are compared by the type that is named', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    const keys = async (query: ReturnType<typeof reads.partition>) =>
      (await query.take(10)).map(({ rowKey }) => rowKey);
    const a = reads.partition('a');
    assert.deepEqual(await keys(a.where(p => p.string('city').startsWith('R'))), ['1', '2']);
    assert.deepEqual(await keys(a.where(p => p.int32('age').gt(30))), ['1']);
    assert.deepEqual(await keys(a.where(p => p.instant('at').eq(Instant.parse('1970-01-01')))), ['3']);
    assert.deepEqual(await keys(a.where(p => p.bool('isOpen').eq(true))), ['3']);
    assert.deepEqual(await keys(a.rows({ ge: '2' }).where(p => p.string('city').eq('Rome'))), ['2']);
  });

  test('come in pages that go on by their tokens', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    const { items, next } = await reads.partition('a').page({ size: 2 });
    assert.equal(items.length, 2);
    const rest = await reads.partition('a').page({ size: 2, resume: next });
    assert.deepEqual(
      rest.items.map(({ rowKey }) => rowKey),
      ['3'],
    );
    await rejects(reads.partition('b').page({ resume: next }), 'TokenMismatch');
  });

  test('of many partitions need a reason, and classes may be refused', async () => {
    const table = await tableOfAll();
    const reads = bags(peer.open(), table);
    assert.equal((await reads.scan().allowScan('a test').take(10)).length, 4);
    // @ts-expect-error: a scan has no results before it is allowed.
    await rejects(async () => reads.scan().take(10), 'ScanRefused');
    const careful = bags(peer.open({ queries: { refuse: ['table-scan'] } }), table);
    await rejects(careful.scan().allowScan('a test').take(10), 'ScanRefused');
    const missing = await reads
      .partition('a')
      .take(1)
      .then(() => bags(peer.open(), 'Missing').partition('a').take(1))
      .catch((error: unknown) => error);
    assert(PatternError.is(missing, 'TableNotFound'));
  });

  test('are admitted each time they are read, as rows of entities are', async () => {
    const table = await tableOfAll();
    let warned = 0;
    const db = peer.open({ queries: { warn: () => void warned++ } });
    const Some = entity('Some', {
      version: 1,
      table,
      props: { p: t.string(), r: t.string() },
      partition: p => key(p.p),
      row: p => key(p.r),
    });
    const queries = [
      db.repo(Some).partition({ p: 'none' }),
      mixed(db, Some).partition({ p: 'none' }),
      bags(db, table).partition('none'),
    ];
    for (const [at, query] of queries.entries()) {
      await query.take(1);
      await query.first();
      for await (const _ of query);
      assert.equal(warned, 3 * (at + 1));
    }
    const careful = peer.open({ queries: { refuse: ['partition-scan'] } });
    const refused = [
      careful.repo(Some).partition({ p: 'none' }),
      mixed(careful, Some).partition({ p: 'none' }),
      bags(careful, table).partition('none'),
    ];
    // Nothing is thrown before a result is waited for.
    for (const query of refused)
      for (const reading of [
        query.page(),
        query.take(1),
        query.first(),
        query.pages().next(),
        query.stream().next(),
      ])
        await rejects(reading, 'ScanRefused');
  });
});
