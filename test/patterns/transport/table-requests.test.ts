// The requests of the pattern library against servers: rows and pages go there and come back, and refusals have their names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, PatternError, t } from '#patterns';
import { encodeEntity, Sender, TableRequests } from '#patterns/internals';
import { makeTable, serviceClient } from '../../support/clients.js';
import { describeTargets } from '../../support/targets.js';

const Note = entity('Note', {
  version: 1,
  table: 'Notes',
  props: { who: t.string(), id: t.string(), weight: t.double() },
  partition: p => key(p.who),
  row: p => key(p.id),
});

describeTargets('requests', subject => {
  const requests = (): TableRequests => new TableRequests(new Sender(serviceClient(subject.server)));

  test('insert, read and page', async () => {
    const { tableName: table } = await makeTable(subject);
    for (const id of ["a'b", 'ü %/', 'c'])
      await requests().write({
        kind: 'create',
        table,
        row: encodeEntity(Note, { who: 'me', id, weight: 3 }),
      });
    const found = await requests().get({ table, partitionKey: 'me', rowKey: "a'b" });
    assert.equal(found?.row.RowKey, "a'b");
    assert.equal(found.etag, found.row['odata.etag']);
    assert.deepEqual(found.row.weight, { '~double': 3 });
    const page = await requests().queryPage({ table, top: 2, select: ['RowKey'] });
    assert.deepEqual(
      page.rows.map(row => row.RowKey),
      ["a'b", 'c'],
    );
    const rest = await requests().queryPage({ table, next: page.next, filter: "PartitionKey eq 'me'" });
    assert.equal(rest.rows.length, 1);
    assert.equal(rest.next, undefined);
  });

  test('a row that is not there is undefined, and a page of a table that is not there an error', async () => {
    const { tableName: table } = await makeTable(subject);
    assert.equal(await requests().get({ table, partitionKey: 'a', rowKey: '' }), undefined);
    await assert.rejects(
      requests().queryPage({ table: 'Nowhere' }),
      (thrown: unknown) => PatternError.is(thrown, 'TableNotFound') && thrown.detail.table !== '',
    );
  });
});
