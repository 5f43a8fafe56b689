// How many files of the pattern library one warm `create` of a plain row runs through. A ratchet: a shorter path lowers the bound. PATH_BUDGET=list prints the share of each file.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExecutionRecorder } from '../support/executed-code.js';
import { ROOT } from '../support/spawned-server.js';

const FILES_MAX = 18;

test('a create runs through few files of the library', async t => {
  const recorder = new ExecutionRecorder(ROOT, join(ROOT, 'dist', 'packages', 'patterns'));
  await recorder.start();
  t.after(() => recorder.stop());
  const { entity, key, open, t: types } = await import('#patterns');
  const { TableServiceClient } = await import('@azure/data-tables');
  const { serve } = await import('shelfmark');
  const server = await serve({ data: undefined });
  t.after(() => server.close());
  const Person = entity('Person', {
    version: 1,
    table: 'People',
    props: { team: types.string(), id: types.int32(), name: types.string() },
    partition: p => key(p.team),
    row: p => key('person', p.id),
  });
  const tables = TableServiceClient.fromConnectionString(server.connectionString(), {
    allowInsecureConnection: true,
  });
  await tables.createTable('People');
  const people = open({ tables }).repo(Person);
  for (let id = 0; id < 40; id++) await people.create({ team: 'a', id, name: 'Ann' });
  await recorder.skip();
  await people.create({ team: 'a', id: 40, name: 'Ann' });
  const files = await recorder.take();
  if (process.env.PATH_BUDGET === 'list')
    for (const { path, lines, functions } of files)
      t.diagnostic(`${lines.length} ${path}: ${functions.map(({ name }) => name).join(', ')}`);
  assert(files.length <= FILES_MAX, `${files.length} files: ${files.map(({ path }) => path).join(', ')}`);
});
