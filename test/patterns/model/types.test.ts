// What the compiler knows of errors, batches and ranges: lines that must compile as they stand, and lines that must not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyPatternError,
  codec,
  entity,
  Instant,
  key,
  PatternError,
  type RowRef,
  type StoredOf,
  t,
} from '#patterns';
import type { WriteReport } from '#patterns/bulk';
import { copies, embed } from '#patterns/copies';
import { flow, follow, move } from '#patterns/flows';
import { link, linkMany } from '#patterns/joins';
import { describePeers } from '../support/peers.js';
import { refuses } from '../support/rejects.js';

const Task = entity('Task', {
  version: 1,
  table: 'Tasks',
  props: { list: t.string(), at: t.instant(), id: t.int32(), title: t.string().optional() },
  partition: p => key(p.list),
  row: p => key('task', p.id.as(codec.int(4))),
});
const Mark = entity('Mark', {
  version: 1,
  table: 'Tasks',
  props: { list: t.string(), name: t.string(), at: t.instant() },
  partition: p => key(p.list),
  row: p => key('mark', p.name, p.at.as(codec.timeDesc)),
});

const AT = Instant.parse('2026-01-01');

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(value: T): T => value;

/** Each case sees the details of its code. */
function told(error: AnyPatternError): string {
  switch (error.code) {
    case 'Conflict':
      return error.detail.etag;
    case 'TooLarge':
      // @ts-expect-error that is another code's
      return `${error.detail.size}${error.detail.etag}`;
    case 'TableNotFound':
      return error.detail.table;
    default:
      return error.message;
  }
}

test('the code of an error tells the type of its detail', () => {
  const thrown: unknown = new PatternError('TableNotFound', { table: 'Tasks' });
  assert(PatternError.is(thrown));
  is<Same<typeof thrown, AnyPatternError>>(true);
  assert.equal(told(thrown), 'Tasks');
  if (thrown.code === 'TableNotFound') assert.equal(thrown.detail.table, 'Tasks');
  // @ts-expect-error before the code is known, the detail is any of them
  void thrown.detail.table;
  const report: WriteReport = { index: 0, kind: 'failed', error: thrown };
  if (report.kind === 'failed') assert.equal(told(report.error), 'Tasks');
});

const Order = entity('Order', {
  version: 1,
  table: 'Orders',
  props: {
    shop: t.string(),
    id: t.int32(),
    total: t.double(),
    state: t.oneOf('open', 'shut').default('open'),
    note: t.string().optional(),
    made: t.created(),
  },
  partition: p => key(p.shop),
  row: p => key('order', p.id.as(codec.int(6))),
});
const Closed = entity('Closed', {
  version: 1,
  table: 'Closed',
  props: { kind: t.oneOf('paid', 'lost'), shop: t.string(), id: t.int32(), note: t.string().optional() },
  partition: p => key(p.kind),
  row: p => key(p.shop, p.id),
});

test('a function that makes a value or a key of another entity needs no annotation', () => {
  const closing = move('closing', {
    from: Order,
    to: Closed,
    become: ({ shop, id, note }) => ({ kind: 'paid', shop, id, note }),
    keyOf: order => ({ ...order, kind: 'paid' }),
  });
  is<Same<Parameters<typeof closing.start>[1], { readonly shop: string; readonly id: number }>>(true);
  move('shutting', {
    from: Order,
    to: Order,
    toTable: 'Shut',
    become: order => ({ ...order, state: 'shut' }),
  });
  move('wrong', {
    from: Order,
    to: Closed,
    // @ts-expect-error there is no such kind
    become: ({ shop, id }) => ({ kind: 'found', shop, id }),
    // @ts-expect-error the key has a kind
    keyOf: ({ shop, id }) => ({ shop, id }),
  });
  link(Order, Closed, ({ shop, id }) => ({ kind: 'lost', shop, id }));
  linkMany(Order, Closed, ({ shop }) => ({ partition: { kind: 'lost' }, rows: { shop } }));
  // @ts-expect-error there is no such kind
  link(Order, Closed, ({ shop, id }) => ({ kind: 'found', shop, id }));
  const input = {
    '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) },
  } as never;
  flow('following', input as import('#patterns').StandardSchema<unknown, { readonly id: number }>, [
    follow({
      name: 'follow',
      entity: Closed,
      key: ({ id }) => ({ kind: 'paid', shop: 'a', id }),
      make: async (row, { id }) => void [row?.value.note, id.toFixed()],
    }),
  ]);
  const closed = embed('closed', Closed, ['note']);
  const Copy = entity('Copy', {
    version: 1,
    table: 'Copies',
    props: { shop: t.string(), id: t.int32(), ...closed.props },
    partition: p => key(p.shop),
    row: p => key(p.id),
  });
  copies('copies', {
    holder: Copy,
    embedded: closed,
    keyOf: ({ shop, id }) => ({ kind: 'paid', shop, id }),
    whenDeleted: 'null',
    holders: (db, { shop }) => db.repo(Copy).partition({ shop }),
  });
});

describePeers('types', peer => {
  test('the results of a batch are a tuple, in the order of its operations', async () => {
    const table = await peer.newTable();
    const db = peer.open();
    const first = await db.repo(Task, { table }).create({ list: 'a', at: AT, id: 1 });
    const batch = db
      .batch(Task, { list: 'a' }, { table })
      .merge(Task, first, { title: 'one' })
      .create(Mark, { list: 'a', name: 'm', at: AT })
      .upsertMerge(Task, { list: 'a', at: AT, id: 2 })
      .deleteIfExists(Task, { key: { list: 'a', id: 3 }, etag: '*' });
    const results = await batch.commit();
    const [task, mark, other, none] = results;
    is<Same<typeof task, StoredOf<typeof Task>>>(true);
    is<Same<typeof mark, StoredOf<typeof Mark>>>(true);
    is<Same<typeof other, RowRef<typeof Task>>>(true);
    is<Same<typeof none, undefined>>(true);
    assert.deepEqual(
      [task.value.title, mark.value.name, other.key, none],
      ['one', 'm', { list: 'a', id: 2 }, undefined],
    );
    // @ts-expect-error a mark has no title
    void mark.value.title;
    assert.equal(results.length, 4);
  });

  test('operations that are added one by one give what is written, without its type', async () => {
    const table = await peer.newTable();
    const batch = peer.open().batch(Task, { list: 'a' }, { table });
    for (const id of [1, 2]) batch.create(Task, { list: 'a', at: AT, id });
    const results = await batch.commit();
    assert.equal(results.length, 2);
    // @ts-expect-error it may be of any entity
    void results[0]?.value.title;
  });

  test('ranges have bounds of the next part alone, and the latest need reversed time', async () => {
    const db = peer.open();
    const [tasks, marks] = [db.repo(Task).partition({ list: 'a' }), db.repo(Mark).partition({ list: 'a' })];
    const plans = [
      tasks.rows({}, { id: { ge: 1, lt: 3 } }),
      marks.rows({}, { name: { prefix: 'm' } }),
      marks.rows({ name: 'm' }, { at: { ge: AT } }),
    ].map(query => query.explain().class);
    assert.deepEqual(plans, ['range', 'range', 'range']);
    const refusals = [
      // @ts-expect-error a number has no prefix
      () => tasks.rows({}, { id: { prefix: '1' } }),
      // @ts-expect-error at comes after name
      () => marks.rows({}, { at: { ge: AT } }),
      // @ts-expect-error name is given
      () => marks.rows({ name: 'm' }, { name: { ge: 'm' } }),
    ];
    for (const refused of refusals) refuses(refused, 'KeyInvalid');
    void (() => marks.latest(3, { lead: { name: 'm' } }));
    // @ts-expect-error the row key has no reversed time
    void (() => tasks.latest(3));
  });
});
