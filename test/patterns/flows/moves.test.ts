// Rows that are moved, steps that are checked, and outboxes of other programs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableTransaction } from '@azure/data-tables';
import { z } from 'zod';
import { codec, entity, key, t } from '#patterns';
import { checkSteps, flow, move, outboxRow, type Step, sweepOutbox } from '#patterns/flows';
import { collect } from '../support/collect.js';
import { anna, Employee } from '../support/employee.js';
import { describePeers, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { AnyKey, annaKey, flowOf, type Key, newName, workersOf } from './flow-setting.js';

const Retired = entity('Retired', {
  version: 1,
  table: 'Archive',
  props: {
    kind: t.oneOf('retired', 'gone'),
    year: t.int32(),
    department: t.string(),
    id: t.int32(),
    name: t.string(),
    views: t.int64(),
  },
  partition: p => key(p.kind, p.year),
  row: p => key(p.department, p.id.as(codec.int(6))),
});
const Wide = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: { ...Employee.props, extra: t.string() },
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
});

describePeers('moves', peer => {
  test('take a row with all that it has to another table, and say what they found', async () => {
    const { db, table, repo: rows } = await fresh(peer, Employee);
    const toTable = await peer.newTable();
    const archive = move(newName('move'), { from: Employee, to: Employee, fromTable: table, toTable });
    await archive.flow.createQueues(db);
    const { work, told, events } = workersOf(peer, db, archive.flow);
    await using _ = work();
    const place = async () => (await archive.get(db, annaKey))?.place;
    const note = () => events.flatMap(event => (event.kind === 'noted' ? [event.note] : [])).at(-1) ?? '';
    await db.repo(Wide, { table }).create({ ...anna, extra: 'of another program' });
    assert.equal(await place(), 'from');
    await archive.start(db, annaKey, { id: 'first' });
    await told('done');
    assert.equal(await rows.get(annaKey), undefined);
    const found = await archive.get(db, annaKey);
    assert(found?.place === 'to');
    assert.deepEqual(found.row.value, anna);
    const kept = await db.repo(Wide, { table: toTable }).get(annaKey);
    assert.equal(kept?.value.extra, 'of another program');
    // The message comes twice, and the row is created anew in between.
    await rows.create({ ...anna, note: 'anew' });
    await archive.start(db, annaKey, { id: 'first' });
    await told('done', 2);
    assert.equal((await rows.get(annaKey))?.value.note, 'anew');
    assert.match(note(), /there again/);
    assert.equal(await place(), 'from');
    await archive.start(db, annaKey);
    await told('done', 3);
    assert.match(note(), /written over/);
    assert.equal(await place(), 'to');
    await archive.start(db, { ...annaKey, id: 99 });
    await told('done', 4);
    assert.match(note(), /no such row/);
  });

  test('turn a row into one of another entity', async () => {
    const { db, table: fromTable, repo } = await fresh(peer, Employee);
    const retired = { kind: 'retired', year: 2024 } as const;
    const retire = move(newName('move'), {
      from: Employee,
      to: Retired,
      fromTable,
      toTable: await peer.newTable(),
      become: ({ department, id, name, views }) => ({ ...retired, department, id, name, views }),
      keyOf: ({ department, id }) => ({ ...retired, department, id }),
    });
    await retire.flow.createQueues(db);
    await repo.create(anna);
    await retire.start(db, annaKey);
    const { work, told } = workersOf(peer, db, retire.flow);
    await using _ = work();
    await told('done');
    const found = await retire.get(db, annaKey);
    assert(found?.place === 'to');
    const expected = { ...retired, department: 'Sales', id: 1, name: 'Anna', views: 7n };
    assert.deepEqual(found.row.value, expected);
  });

  test('that lead nowhere are refused', async () => {
    assert.throws(() => move('moves', { from: Employee, to: Retired }), /become and keyOf/);
    const nowhere = move('moves', { from: Employee, to: Employee });
    await rejects(nowhere.start(peer.open(), annaKey), 'ValueInvalid');
  });
});

describePeers('checked steps', peer => {
  test('tell a step that is idempotent from one that is not', async () => {
    const { db, table, repo: rows } = await fresh(peer, Employee);
    await rows.create(anna);
    let sent = 0;
    const of = (run: Step<Key>['run']) => flow('checked', AnyKey, [{ name: 'step', run }]);
    const writes = (change: (score: number) => object) =>
      of(async input => {
        await rows.mutate(input, row => row && { ...row, ...change(row.score) });
      });
    await checkSteps(
      db,
      writes(() => ({ note: 'x' })),
      annaKey,
      { tables: [table] },
    );
    const adds = writes(score => ({ score: score + 1 }));
    await rejects(checkSteps(db, adds, annaKey, { tables: [table] }), 'NotIdempotent', { step: 'step' });
    const sends = of(async () => void sent++);
    await rejects(checkSteps(db, sends, annaKey, { observe: () => sent }), 'NotIdempotent');
    await checkSteps(db, sends, annaKey);
  });
});

describePeers('an outbox', peer => {
  test('starts each flow at least once, and leaves what it cannot read', async () => {
    const table = await peer.newTable();
    const started: unknown[] = [];
    const { db, jobs, work, told } = await flowOf(
      peer,
      z.object({ id: z.number() }),
      async (input, { id }) => {
        started.push([input, id]);
      },
    );
    const row = outboxRow(jobs, { partitionKey: 'Sales', id: '1' }, { id: 7 });
    const transaction = new TableTransaction();
    transaction.createEntity({ partitionKey: 'Sales', rowKey: '7', name: 'Anna' });
    for (const more of [
      {},
      { rowKey: 'outbox!2', Flow: 'nobody' },
      { rowKey: 'outbox!3', Input: '{' },
      { rowKey: 'outbox!4', Version: 2 },
    ])
      transaction.createEntity({ ...row, ...more });
    await peer.table(table).submitTransaction(transaction.actions);
    const swept = await collect(sweepOutbox(db, [jobs], { table }));
    const left = await collect(sweepOutbox(db, [jobs], { table, partitionKey: 'Sales' }));
    const refused = ['outbox!2 refused', 'outbox!3 refused', 'outbox!4 refused'];
    assert.deepEqual(
      [swept, left].map(all => all.map(({ rowKey, kind }) => `${rowKey} ${kind}`)),
      [['outbox!1 sent', ...refused], refused],
    );
    await using _ = work();
    await told('done');
    assert.deepEqual(started, [[{ id: 7 }, 'Sales/outbox!1']]);
  });
});
