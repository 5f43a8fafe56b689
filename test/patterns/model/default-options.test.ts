// Insert Or Merge and properties with a default: one that is not given is not written, so that what the row has stays; a row that is made has it only where the library read first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, key, t } from '#patterns';
import { change, rebucketing, writeAll } from '#patterns/bulk';
import { indexFlow, near, remote } from '#patterns/indexes';
import { larges, largeText } from '#patterns/large';
import { bags } from '#patterns/mixed';
import { wide, wideRepo } from '#patterns/wide';
import { describePeers } from '../support/peers.js';

let given = 0;

const PROPS = {
  shop: t.string(),
  id: t.string(),
  total: t.int32(),
  state: t.oneOf('open', 'paid').default('open'),
  number: t.int32().default(() => ++given),
  created: t.created(),
};
const plain = { version: 1, table: 'Bills', props: PROPS } as const;

const Bill = entity('Bill', { ...plain, partition: p => key(p.shop), row: p => key(p.id) });
const Near = entity('Bill', {
  ...plain,
  partition: p => key(p.shop),
  row: p => key('bill', p.id),
  indexes: { byState: { kind: near, row: p => key('state', p.state), project: 'all' } },
});
const Remote = entity('RemoteBill', {
  ...plain,
  partition: p => key(p.shop),
  row: p => key('bill', p.id),
  indexes: { byState: { kind: remote, partition: p => key('state', p.state), row: key('by') } },
});
const Changing = entity('Bill', {
  ...plain,
  partition: p => key(p.shop, p.id.as(codec.hash(16, rebucketing(4)))),
  row: p => key(p.id),
});
const Long = entity('Bill', {
  ...plain,
  props: { ...PROPS, text: t.string().long().default('short'), note: t.string().long().optional() },
  partition: p => key(p.shop),
  row: p => key(p.id),
});

const bill = { shop: 's', id: 'a', total: 1 };
const paid = { ...bill, state: 'paid', number: 77 } as const;
const more = { ...bill, total: 2 };

interface Rows {
  create(value: typeof paid): Promise<unknown>;
  get(key: typeof bill): Promise<{ readonly value: object } | undefined>;
}

describePeers('Insert Or Merge of properties with a default', peer => {
  const opened = async () => {
    const table = await peer.newTable();
    const db = peer.open({ announceAfter: 0 });
    return { db, table };
  };

  /** What is not given stays, and no default is asked for. */
  async function stays(rows: Rows, write: (value: typeof more) => Promise<unknown>): Promise<void> {
    await rows.create(paid);
    const { value: before } = (await rows.get(bill)) ?? assert.fail();
    const asked = given;
    await write(more);
    const { value: after } = (await rows.get(bill)) ?? assert.fail();
    assert.deepEqual(after, { ...before, ...paid, total: 2 });
    assert.equal(given, asked);
  }

  const WAYS: Readonly<Record<string, (db: Db, table: string) => Promise<void>>> = {
    'a repository': (db, table) => {
      const rows = db.repo(Bill, { table });
      return stays(rows, value => rows.upsertMerge(value));
    },
    'a batch': (db, table) =>
      stays(db.repo(Bill, { table }), value =>
        db.batch(Bill, value, { table }).upsertMerge(Bill, value).commit(),
      ),
    'bulk writes': (db, table) =>
      stays(db.repo(Bill, { table }), async value => {
        for await (const { kind } of writeAll(db, [change.upsertMerge(Bill, value, { table })]))
          assert.equal(kind, 'done');
      }),
    'an entity with a near index': (db, table) => {
      const rows = db.repo(Near, { table });
      return stays(rows, value => rows.upsertMerge(value));
    },
    'an entity with a remote index': async (db, table) => {
      await indexFlow(Remote).createQueues(db);
      const rows = db.repo(Remote, { table });
      await stays(rows, value => rows.upsertMerge(value));
    },
    'a number of buckets that is being changed': (db, table) => {
      const rows = db.repo(Changing, { table });
      return stays(rows, value => rows.upsertMerge(value));
    },
    'a wide entity': (db, table) => {
      const Wide = wide('Wide', { ...plain, table, partition: p => key(p.shop), row: p => key('w', p.id) });
      const rows = wideRepo(db, Wide);
      return stays(rows, value => rows.upsertMerge(value));
    },
    'large values': async (db, table) => {
      const container = 'defaults';
      await peer.blobs().getContainerClient(container).createIfNotExists();
      const props = { ...PROPS, text: largeText().optional() };
      const Large = entity('Large', {
        ...plain,
        table,
        props,
        partition: p => key(p.shop),
        row: p => key(p.id),
      });
      const rows = larges(db, Large, { container });
      await stays(rows, value => rows.upsertMerge(value));
    },
  };
  for (const [name, way] of Object.entries(WAYS))
    test(`leaves what is there: ${name}`, async () => {
      const { db, table } = await opened();
      await way(db, table);
    });

  test('leaves a long value that is there', async () => {
    const { db, table } = await opened();
    const rows = db.repo(Long, { table });
    const text = 'x'.repeat(100_000);
    await rows.create({ ...paid, text });
    await rows.upsertMerge(more);
    assert.equal((await rows.get(bill))?.value.text, text);
    await rows.upsertMerge({ ...more, note: 'read first' });
    assert.equal((await rows.get(bill))?.value.text, text);
  });

  test('writes what is given', async () => {
    const { db, table } = await opened();
    const rows = db.repo(Bill, { table });
    await rows.create(paid);
    await rows.upsertMerge({ ...more, state: 'open' });
    assert.equal((await rows.get(bill))?.value.state, 'open');
  });

  const names = async (db: Db, table: string, rowKey: string): Promise<readonly string[]> => {
    const row = (await bags(db, table).partition('s').take(9)).find(each => each.rowKey === rowKey);
    return [...(row?.properties.keys() ?? [])].filter(name => name in PROPS);
  };

  test('makes a row without them, which is read with them', async () => {
    const { db, table } = await opened();
    const rows = db.repo(Bill, { table });
    await rows.upsertMerge(bill);
    assert.deepEqual(await names(db, table, 'a'), ['total']);
    assert.equal((await rows.get(bill))?.value.state, 'open');
    assert.deepEqual(
      await rows
        .partition(bill)
        .where(p => p.state.eq('open'))
        .take(9),
      [],
    );
  });

  test('makes a row with them where it read first', async () => {
    const { db, table } = await opened();
    const rows = db.repo(Near, { table });
    await rows.upsertMerge(bill);
    const own = (await names(db, table, 'bill!a')).toSorted();
    assert.deepEqual(own, ['created', 'number', 'state', 'total']);
  });
});
