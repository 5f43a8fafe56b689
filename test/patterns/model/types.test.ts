// What the compiler knows of errors, batches and functions that make values of other entities: lines that must compile as they stand, and lines that must not. queries.test.ts has those of ranges.
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
  type StandardSchema,
  type StoredOf,
  t,
} from '#patterns';
import type { WriteReport } from '#patterns/bulk';
import { copies, embed } from '#patterns/copies';
import { flow, follow, move } from '#patterns/flows';
import { link, linkMany } from '#patterns/joins';
import { same } from '../../../packages/patterns/testing/same-type.js';
import { describePeers, fresh } from '../support/peers.js';

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
  same<typeof thrown, AnyPatternError>(true);
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
  same<Parameters<typeof closing.start>[1], { readonly shop: string; readonly id: number }>(true);
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
  const input = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } };
  flow('following', input as StandardSchema<unknown, { readonly id: number }>, [
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
    const { db, table, repo: tasks } = await fresh(peer, Task);
    const at = Instant.parse('2026-01-01');
    const first = await tasks.create({ list: 'a', at, id: 1 });
    const [task, mark, other, none] = await db
      .batch(Task, { list: 'a' }, { table })
      .merge(Task, first, { title: 'one' })
      .create(Mark, { list: 'a', name: 'm', at })
      .upsertMerge(Task, { list: 'a', at, id: 2 })
      .deleteIfExists(Task, { key: { list: 'a', id: 3 }, etag: '*' })
      .commit();
    same<typeof task, StoredOf<typeof Task>>(true);
    same<typeof mark, StoredOf<typeof Mark>>(true);
    same<typeof other, RowRef<typeof Task>>(true);
    same<typeof none, undefined>(true);
    assert.deepEqual(
      [task.value.title, mark.value.name, other.key, none],
      ['one', 'm', { list: 'a', id: 2 }, undefined],
    );
    // @ts-expect-error a mark has no title
    void mark.value.title;
    // Operations that are added one by one give what is written, without its type.
    const batch = db.batch(Task, { list: 'a' }, { table });
    for (const id of [4, 5]) batch.create(Task, { list: 'a', at, id });
    const results = await batch.commit();
    assert.equal(results.length, 2);
    // @ts-expect-error it may be of any entity
    void results[0]?.value.title;
    const marks = db.repo(Mark).partition({ list: 'a' });
    assert.equal(marks.rows({}, { name: { prefix: 'm' } }).explain().class, 'range');
    void (() => marks.latest(3, { lead: { name: 'm' } }));
  });
});
