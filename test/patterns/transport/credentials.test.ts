// The credentials of the official client serve the library too: its requests go where the client's go, and are signed there, by connections that it keeps.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  TableServiceClient,
} from '@azure/data-tables';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from 'shelfmark';
import { entity, key, open, part, t as type } from '#patterns';
import type { TablesConnection } from '#patterns/internals';
import { rolling } from '#patterns/rolling';
import { outcomeOf } from '../support/collect.js';
import { anna, Employee } from '../support/employee.js';
import { describePeers } from '../support/peers.js';
import { refuses, rejects } from '../support/rejects.js';

const Login = entity('Login', {
  version: 1,
  table: 'Login',
  props: { user: type.string(), at: type.instant() },
  partition: key(part('user')),
  row: key(part('at')),
});

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
    for (const url of ['http://example.org/a', 'http://127.example.org/a', 'http://127.0.0.1.org/a'])
      refuses(() => open({ tables: { url, pipeline } }), 'DefinitionInvalid');
    for (const url of [
      'http://localhost',
      'https://a.org',
      'http://localhost:1/a',
      'http://127.0.0.1:1/a',
      'http://[::1]:1/a',
    ])
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
    // Timers of Node end at once where they are too long.
    const db = open({ tables }, { timeoutMilliseconds: Number.POSITIVE_INFINITY });
    assert.equal(await db.repo(Employee).get(anna), undefined);
  }
  server.closeAllConnections();
  server.close();
  assert.equal(connections, 1);
});

/** A database behind a proxy that answers with its own page, unless the request has another answer. */
async function behindProxy(
  t: TestContext,
  other: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  const server = createServer((request, response) => {
    if (!other(request, response)) response.end('<html>Sign in to this network</html>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credential = new AzureNamedKeyCredential('account', 'a2V5');
  return open({
    tables: new TableServiceClient(`http://127.0.0.1:${port}/account`, credential, INSECURE),
  });
}

test('a page of a proxy in place of the answer to a write or a batch is not taken for its success', async t => {
  const db = await behindProxy(t, ({ method }, response) => {
    if (method !== 'GET') return false;
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"odata.error":{"code":"ResourceNotFound","message":{"value":"none"}}}');
    return true;
  });
  await rejects(db.batch(Employee, anna).create(Employee, anna).commit(), 'Unreachable');
  await rejects(db.repo(Employee).create(anna), 'Unreachable');
});

test('a request that its credential does not let go out is an error that says why', async () => {
  const credential = {
    getToken: async () => ({ token: 'secret', expiresOnTimestamp: Date.now() + 3_600_000 }),
  };
  const tables = new TableServiceClient('http://127.0.0.1:1/account', credential, INSECURE);
  await assert.rejects(open({ tables }).repo(Employee).get(anna), {
    message: /^Unreachable: No request went out: Bearer token authentication is not permitted for non-TLS/,
  });
});

test('a filter that no address can hold is refused, not sent', async t => {
  const db = await behindProxy(t, () => assert.fail('a request'));
  const halves = db.repo(Employee).partition(anna);
  await rejects(halves.where(p => p.name.eq('\ud800')).take(1), 'ValueInvalid', { property: '$filter' });
});

test('a page of a proxy in place of the answer to a read is an error that shows it', async t => {
  const db = await behindProxy(t, () => false);
  const staff = db.repo(Employee);
  const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 60 });
  for (const read of [
    () => staff.get(anna),
    () => staff.partition(anna).take(1),
    () => logins.prepare(),
    () => logins.expire(),
  ])
    await assert.rejects(read, {
      message:
        'Unreachable: This is no answer of the Table service: 200 <html>Sign in to this network</html>',
    });
  await rejects(staff.create(anna), 'OutcomeUnknown');
});
