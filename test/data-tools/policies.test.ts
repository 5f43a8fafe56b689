// Stored access policies of a table: a dump's manifest has them, and a load and a copy set them, on every peer.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { Dump } from '../../packages/data-tools/index.js';
import { describePeers } from '../patterns/support/peers.js';
import { copyTo, dumpTo, loadInto } from './tool-run.js';

const POLICIES = [
  {
    id: `<a>&"'é\u{1f4d6}`,
    accessPolicy: { permission: 'r', start: new Date('2020-01-01'), expiry: new Date('2040-01-01') },
  },
  { id: 'without dates', accessPolicy: { permission: 'raud' } },
];

describePeers('policies of a table', peer => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-policies-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const client = (name: string): TableClient =>
    TableClient.fromConnectionString(peer.connectionString(), name, { allowInsecureConnection: true });

  // Azurite refuses both.
  test('go through a dump, a load and a copy', { skip: peer.name === 'azurite' }, async () => {
    await client('guarded').createTable();
    await client('guarded').setAccessPolicy(POLICIES);
    const expected = await client('guarded').getAccessPolicy();
    assert.deepEqual(
      expected.map(({ id }) => id),
      POLICIES.map(({ id }) => id),
    );

    const out = join(directory, 'dump');
    const peerOf = peer.connectionString();
    await dumpTo(peerOf, out, { tables: ['guarded'] });
    assert.deepEqual(
      Dump.open(out)
        .table('guarded')
        .policies?.map(({ id, permission }) => ({ id, permission })),
      POLICIES.map(({ id, accessPolicy: { permission } }) => ({ id, permission })),
    );

    await loadInto(peerOf, out, { tables: ['guarded=loaded'] });
    await copyTo(peerOf, peerOf, { tables: ['guarded=copied'], journal: join(directory, 'copy.journal') });
    for (const name of ['loaded', 'copied'])
      assert.deepEqual(await client(name).getAccessPolicy(), expected, name);
  });
});
