// The credentials of the official client serve the library too: its requests go where the client's go, and are signed there, by connections that it keeps.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  TableServiceClient,
} from '@azure/data-tables';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from 'shelfmark';
import { open } from '#patterns';
import type { TablesConnection } from '#patterns/internals';
import { outcomeOf } from '../support/collect.js';
import { anna, Employee } from '../support/employee.js';
import { describePeers } from '../support/peers.js';
import { refuses, rejects } from '../support/rejects.js';

const INSECURE = { allowInsecureConnection: true };

describePeers('credentials', peer => {
  async function signature(permissions: { readonly [name: string]: boolean }) {
    const table = await peer.newTable();
    const credential = new AzureNamedKeyCredential(WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY);
    const expiresOn = new Date('2099-01-01T00:00:00Z');
    const sas = generateTableSas(table, credential, { permissions, expiresOn });
    return { table, sas, url: peer.client().url };
  }

  /** A shared access signature as a credential, or in the address. */
  const WAYS: Readonly<Record<string, (url: string, sas: string) => TablesConnection>> = {
    'as a credential': (url, sas) => new TableServiceClient(url, new AzureSASCredential(sas), INSECURE),
    'in the address': (url, sas) => new TableServiceClient(`${url}?${sas}`, INSECURE),
  };
  for (const [name, clientOf] of Object.entries(WAYS))
    test(`a shared access signature ${name}`, async () => {
      const { table, sas, url } = await signature({ query: true, add: true, update: true, delete: true });
      const db = open({ tables: clientOf(url, sas) });
      const staff = db.repo(Employee, { table });
      const stored = await staff.create(anna);
      const batch = db.batch(Employee, anna, { table }).merge(Employee, stored, { score: 4 });
      // Azurite takes no signature of a table for a batch.
      if (peer.name === 'azurite') await rejects(batch.commit(), 'ServiceRefused', { status: 403 });
      const [changed] =
        peer.name === 'azurite' ? [await staff.merge(stored, { score: 4 })] : await batch.commit();
      assert.deepEqual(await staff.get(anna), changed);
      assert.equal((await staff.partition(anna).take(5)).length, 1);
    });

  test('what a signature does not allow is refused', async () => {
    const { table, sas, url } = await signature({ query: true });
    const db = open({ tables: new TableServiceClient(`${url}?${sas}`, INSECURE) });
    const staff = db.repo(Employee, { table });
    assert.equal(await staff.get(anna), undefined);
    await rejects(staff.create(anna), 'ServiceRefused', { status: 403 });
    const batch = db.batch(Employee, anna, { table }).create(Employee, anna);
    assert.match(await outcomeOf(batch.commit()), /ServiceRefused|AuthorizationPermissionMismatch/);
  });

  test('plain HTTP to another computer must be allowed', () => {
    const { pipeline } = peer.client();
    refuses(() => open({ tables: { url: 'http://example.org/account', pipeline } }), 'DefinitionInvalid');
    for (const url of ['https://a.org', 'http://localhost:1/a', 'http://127.0.0.1:1/a', 'http://[::1]:1/a'])
      open({ tables: { url, pipeline } });
    open({ tables: { url: 'http://example.org', pipeline } }, INSECURE);
    // @ts-expect-error tables are what all patterns need
    assert.throws(() => open({}), /open\(\{ tables \}\)/);
    // @ts-expect-error a client by itself has no name
    assert.throws(() => open(peer.client()), /open\(\{ tables \}\)/);
  });
});

test('connections are kept however often the library is opened', async () => {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"odata.error":{"code":"ResourceNotFound","message":{"value":"none"}}}');
  });
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const credential = new AzureNamedKeyCredential('account', 'a2V5');
  for (let i = 0; i < 5; i++) {
    const tables = new TableServiceClient(`http://127.0.0.1:${port}/account`, credential, INSECURE);
    assert.equal(await open({ tables }).repo(Employee).get(anna), undefined);
  }
  server.closeAllConnections();
  server.close();
  assert.equal(connections, 1);
});

test('a page of a proxy in place of the answer to a write or a batch is not taken for its success', async t => {
  const server = createServer(({ method }, response) => {
    if (method !== 'GET') return response.end('<html>Sign in to this network</html>');
    response.writeHead(404, { 'Content-Type': 'application/json' });
    return response.end('{"odata.error":{"code":"ResourceNotFound","message":{"value":"none"}}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credential = new AzureNamedKeyCredential('account', 'a2V5');
  const tables = new TableServiceClient(`http://127.0.0.1:${port}/account`, credential, INSECURE);
  const db = open({ tables });
  await rejects(db.batch(Employee, anna).create(Employee, anna).commit(), 'Unreachable');
  await rejects(db.repo(Employee).create(anna), 'Unreachable');
});
