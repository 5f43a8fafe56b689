// Stored access policies of a table: a dump's manifest has them, and a load and a copy set them, on every peer.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { copy, Dump, dump, load, parseAddress } from '../../packages/data-tools/index.js';
import { describePeers } from '../patterns/support/peers.js';
import { runTool } from './tool-run.js';

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

  const address = () => parseAddress(peer.connectionString());
  const client = (name: string): TableClient =>
    TableClient.fromConnectionString(peer.connectionString(), name, { allowInsecureConnection: true });
  const nothing = async (): Promise<void> => {};

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
    const choice = { all: false, names: ['guarded'] };
    await runTool((context, write) => dump({ source: address(), choice, out }, context, write));
    assert.deepEqual(
      Dump.open(out)
        .table('guarded')
        .policies?.map(({ id, permission }) => ({ id, permission })),
      POLICIES.map(({ id, accessPolicy: { permission } }) => ({ id, permission })),
    );

    await runTool(context =>
      load({ target: address(), input: out, names: ['guarded=loaded'] }, context, process.stdin, nothing),
    );
    const named = { all: false, names: ['guarded=copied'] };
    const journal = join(directory, 'copy.journal');
    await runTool(context =>
      copy({ source: address(), target: address(), choice: named, journal }, context, nothing),
    );
    for (const name of ['loaded', 'copied'])
      assert.deepEqual(await client(name).getAccessPolicy(), expected, name);
  });
});
