// Rows that are moved, steps that are checked, and outboxes of other programs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableTransaction } from '@azure/data-tables';
import { z } from 'zod';
import { codec, entity, key, t } from '#patterns';
import type { FlowEvent } from '#patterns/flows';
import { checkSteps, flow, move, outboxRow, type Step, sweepOutbox } from '#patterns/flows';
import { anna, Employee } from '../support/employee.js';
import { describePeers, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { annaKey, type Key, newName, SOON, told } from './flow-setting.js';

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

const notesOf = (events: readonly FlowEvent[]): readonly string[] =>
  events.flatMap(event => (event.kind === 'noted' ? [event.note] : []));

describePeers('moves', peer => {
  test('take a row with all that it has to another table, and say what they found', async () => {
    const [table, other] = [await peer.newTable(), await peer.newTable()];
    const db = peer.open();
    const rows = db.repo(Employee, { table });
    const archive = move(newName('move'), { from: Employee, to: Employee, fromTable: table, toTable: other });
    await archive.flow.createQueues(db);
    const events: FlowEvent[] = [];
    await using _ = archive.flow.worker(db, { ...SOON, report: event => events.push(event) });
    const wide = entity('Employee', {
      version: 1,
      table,
      props: { ...Employee.props, extra: t.string() },
      partition: p => key(p.department),
      row: p => key('emp', p.id.as(codec.int(6))),
    });
    await db.repo(wide).create({ ...anna, extra: 'of another program' });
    assert.equal((await archive.get(db, annaKey))?.place, 'from');
    await archive.start(db, annaKey, { id: 'first' });
    await told(events, 'done');
    assert.equal(await rows.get(annaKey), undefined);
    const found = await archive.get(db, annaKey);
    assert(found?.place === 'to');
    assert.deepEqual(found.row.value, anna);
    const kept = await db.repo(wide, { table: other }).get(annaKey);
    assert.equal(kept?.value.extra, 'of another program');

    // The message comes twice, and the row is created anew in between.
    await rows.create({ ...anna, note: 'anew' });
    await archive.start(db, annaKey, { id: 'first' });
    await told(events, 'done', 2);
    assert.equal((await rows.get(annaKey))?.value.note, 'anew');
    assert.match(notesOf(events).at(-1) ?? '', /there again/);
    assert.equal((await archive.get(db, annaKey))?.place, 'from');

    await archive.start(db, annaKey);
    await told(events, 'done', 3);
    assert.match(notesOf(events).at(-1) ?? '', /written over/);
    assert.equal((await archive.get(db, annaKey))?.row.value.department, 'Sales');
    assert.equal(await rows.get(annaKey), undefined);
    await archive.start(db, { ...annaKey, id: 99 });
    await told(events, 'done', 4);
    assert.match(notesOf(events).at(-1) ?? '', /no such row/);
  });

  test('turn a row into one of another entity', async () => {
    const [table, other] = [await peer.newTable(), await peer.newTable()];
    const db = peer.open();
    const retire = move(newName('move'), {
      from: Employee,
      to: Retired,
      fromTable: table,
      toTable: other,
      become: ({ department, id, name, views }) => ({
        kind: 'retired',
        year: 2024,
        department,
        id,
        name,
        views,
      }),
      keyOf: ({ department, id }) => ({ kind: 'retired', year: 2024, department, id }),
    });
    await retire.flow.createQueues(db);
    await db.repo(Employee, { table }).create(anna);
    await retire.start(db, annaKey);
    const events: FlowEvent[] = [];
    await using _ = retire.flow.worker(db, { ...SOON, report: event => events.push(event) });
    await told(events, 'done');
    const found = await retire.get(db, annaKey);
    assert(found?.place === 'to');
    const expected = { kind: 'retired', year: 2024, department: 'Sales', id: 1, name: 'Anna', views: 7n };
    assert.deepEqual(found.row.value, expected);
  });

  test('that lead nowhere are refused', async () => {
    const db = peer.open();
    assert.throws(() => move('moves', { from: Employee, to: Retired }), /become and keyOf/);
    await rejects(move('moves', { from: Employee, to: Employee }).start(db, annaKey), 'ValueInvalid');
  });
});

describePeers('checked steps', peer => {
  test('tell a step that is idempotent from one that is not', async () => {
    const { db, table, repo: rows } = await fresh(peer, Employee);
    await rows.create(anna);
    let sent = 0;
    const flowOf = (run: Step<Key>['run']) =>
      flow('checked', z.object({ department: z.string(), id: z.number() }), [{ name: 'step', run }]);
    const same = flowOf(async input => void (await rows.mutate(input, row => row && { ...row, note: 'x' })));
    await checkSteps(db, same, annaKey, { tables: [table] });
    const adds = flowOf(
      async input => void (await rows.mutate(input, row => row && { ...row, score: row.score + 1 })),
    );
    await rejects(checkSteps(db, adds, annaKey, { tables: [table] }), 'NotIdempotent', { step: 'step' });
    const sends = flowOf(async () => void sent++);
    await rejects(checkSteps(db, sends, annaKey, { observe: () => sent }), 'NotIdempotent');
    await checkSteps(db, sends, annaKey);
  });
});

describePeers('an outbox', peer => {
  test('starts each flow at least once, and leaves what it cannot read', async () => {
    const table = await peer.newTable();
    const db = peer.open();
    const started: unknown[] = [];
    const jobs = flow(newName('jobs'), z.object({ id: z.number() }), [
      { name: 'run', run: async (input, { id }) => void started.push([input, id]) },
    ]);
    await jobs.createQueues(db);
    const row = outboxRow(jobs, { partitionKey: 'Sales', id: '1' }, { id: 7 });
    const transaction = new TableTransaction();
    transaction.createEntity({ partitionKey: 'Sales', rowKey: '7', name: 'Anna' });
    transaction.createEntity({ ...row });
    transaction.createEntity({ ...row, rowKey: 'outbox!2', Flow: 'nobody' });
    transaction.createEntity({ ...row, rowKey: 'outbox!3', Input: '{' });
    transaction.createEntity({ ...row, rowKey: 'outbox!4', Version: 2 });
    await peer.table(table).submitTransaction(transaction.actions);
    const swept: string[] = [];
    for await (const each of sweepOutbox(db, [jobs], { table })) swept.push(`${each.rowKey} ${each.kind}`);
    assert.deepEqual(swept, ['outbox!1 sent', 'outbox!2 refused', 'outbox!3 refused', 'outbox!4 refused']);
    const again: string[] = [];
    for await (const each of sweepOutbox(db, [jobs], { table, partitionKey: 'Sales' }))
      again.push(each.rowKey);
    assert.deepEqual(again, ['outbox!2', 'outbox!3', 'outbox!4']);
    const events: FlowEvent[] = [];
    await using _ = jobs.worker(db, { ...SOON, report: event => events.push(event) });
    await told(events, 'done');
    assert.deepEqual(started, [[{ id: 7 }, 'Sales/outbox!1']]);
  });
});
