// The credentials of the official client serve the library too: its requests go where the client's go, and are signed there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  TableServiceClient,
} from '@azure/data-tables';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from 'shelfmark';
import { open, PatternError } from '#patterns';
import type { TablesConnection } from '#patterns/internals';
import { anna, Employee } from '../support/employee.js';
import { describePeers } from '../support/peers.js';
import { refuses, rejects } from '../support/rejects.js';

describePeers('credentials', peer => {
  async function works(client: TablesConnection, table: string): Promise<void> {
    const db = open({ tables: client });
    const staff = db.repo(Employee, { table });
    const stored = await staff.create(anna);
    const batch = db.batch(Employee, anna, { table }).merge(Employee, stored, { score: 4 });
    // Azurite takes no signature of a table for a batch.
    if (peer.name === 'azurite') await rejects(batch.commit(), 'ServiceRefused', { status: 403 });
    const [changed] =
      peer.name === 'azurite' ? [await staff.merge(stored, { score: 4 })] : await batch.commit();
    assert.deepEqual(await staff.get(anna), changed);
    assert.equal((await staff.partition(anna).take(5)).length, 1);
  }

  async function signature(permissions: { readonly [name: string]: boolean }) {
    const table = await peer.newTable();
    const credential = new AzureNamedKeyCredential(WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY);
    const expiresOn = new Date('2099-01-01T00:00:00Z');
    const sas = generateTableSas(table, credential, { permissions, expiresOn });
    return { table, sas, url: peer.client().url };
  }

  const ALL = { query: true, add: true, update: true, delete: true };

  test('a shared access signature as a credential', async () => {
    const { table, sas, url } = await signature(ALL);
    const options = { allowInsecureConnection: true };
    await works(new TableServiceClient(url, new AzureSASCredential(sas), options), table);
  });

  test('a shared access signature in the address', async () => {
    const { table, sas, url } = await signature(ALL);
    await works(new TableServiceClient(`${url}?${sas}`, { allowInsecureConnection: true }), table);
  });

  test('what a signature does not allow is refused', async () => {
    const { table, sas, url } = await signature({ query: true });
    const client = new TableServiceClient(`${url}?${sas}`, { allowInsecureConnection: true });
    const staff = open({ tables: client }).repo(Employee, { table });
    assert.equal(await staff.get(anna), undefined);
    await rejects(staff.create(anna), 'ServiceRefused', { status: 403 });
    const batch = open({ tables: client }).batch(Employee, anna, { table }).create(Employee, anna);
    await assert.rejects(
      batch.commit(),
      (thrown: unknown) =>
        PatternError.is(thrown, 'BatchFailed') || PatternError.is(thrown, 'ServiceRefused'),
    );
  });

  test('plain HTTP to another computer must be allowed', () => {
    const { pipeline } = peer.client();
    refuses(() => open({ tables: { url: 'http://example.org/account', pipeline } }), 'DefinitionInvalid');
    for (const url of [
      'https://example.org',
      'http://localhost:1/a',
      'http://127.0.0.1:1/a',
      'http://[::1]:1/a',
    ])
      open({ tables: { url, pipeline } });
    open({ tables: { url: 'http://example.org', pipeline } }, { allowInsecureConnection: true });
  });
});
