// Keys of accounts change while the server runs, and official clients continue with the new ones: signatures of a
// removed key are refused at once, even those that were valid and cached. test/operations/several-processes.test.ts
// covers the file of accounts and several processes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import {
  generateQueueSASQueryParameters,
  type QueueClient,
  QueueSASPermissions,
  StorageSharedKeyCredential,
} from '@azure/storage-queue';
import { type AccountKeys, Accounts, issueToken, type RunningServer, serve, WELL_KNOWN_KEY } from 'shelfmark';
import { CLIENT_OPTIONS, refuses } from '../support/clients.js';
import { queueClient, queueSasClient } from '../support/queue-clients.js';

const NAME = 'shop';
const newKey = (): string => randomBytes(64).toString('base64');
const [FIRST, SECOND, THIRD] = [newKey(), newKey(), newKey()];

/** A caller with one key, in every form of authentication. */
interface Caller {
  readonly key: TableClient;
  readonly tableSas: TableClient;
  readonly accountSas: TableServiceClient;
  readonly bearer: TableClient;
  readonly queueSas: QueueClient;
}

let callers = 0;

async function callerWith(server: RunningServer, key: string): Promise<Caller> {
  const { tableEndpoint: url } = server;
  const credential = new AzureNamedKeyCredential(NAME, key);
  const of = (signature: string): TableClient =>
    new TableClient(url, 'orders', new AzureSASCredential(signature), CLIENT_OPTIONS);
  // Tokens that differ in more than the signature: each is cached separately.
  callers += 1;
  const expiresOn = new Date(Date.now() + 3_600_000 + 60_000 * callers);
  const table = generateTableSas('orders', credential, { permissions: { query: true }, expiresOn });
  const account = generateAccountSas(credential, { permissions: { list: true }, expiresOn });
  const queue = generateQueueSASQueryParameters(
    { queueName: 'orders', permissions: QueueSASPermissions.parse('r'), expiresOn },
    new StorageSharedKeyCredential(NAME, key),
  );
  const request = { account: NAME, roles: ['Storage Table Data Reader'], lifetimeSeconds: 3_600 } as const;
  const token = await issueToken(new Accounts({ [NAME]: [key] }), request, BigInt(Date.now()) * 10_000n);
  // The client itself sends bearer tokens only over TLS.
  const bearer = new TableClient(url, 'orders', new AzureSASCredential('unused=1'), {
    ...CLIENT_OPTIONS,
    additionalPolicies: [
      {
        position: 'perRetry',
        policy: {
          name: 'bearer',
          sendRequest: (outgoing, next) => {
            outgoing.headers.set('Authorization', `Bearer ${token}`);
            return next(outgoing);
          },
        },
      },
    ],
  });
  return {
    key: new TableClient(url, 'orders', credential, CLIENT_OPTIONS),
    tableSas: of(table),
    accountSas: new TableServiceClient(url, new AzureSASCredential(account), CLIENT_OPTIONS),
    bearer,
    queueSas: queueSasClient(server, 'orders', `${queue}`),
  };
}

const read = (client: TableClient): Promise<unknown> => client.getEntity('p', 'r');
const list = (client: TableServiceClient): Promise<unknown> => client.listTables().next();

const peek = (client: QueueClient): Promise<unknown> => client.peekMessages();

/** Twice: the second time the valid result is cached. */
async function isLetIn({ key, tableSas, accountSas, bearer, queueSas }: Caller): Promise<void> {
  for (let again = 0; again < 2; again++)
    await Promise.all([read(key), read(tableSas), list(accountSas), read(bearer), peek(queueSas)]);
}

async function isRefused({ key, tableSas, accountSas, bearer, queueSas }: Caller): Promise<void> {
  const refusals = [read(key), read(tableSas), list(accountSas), read(bearer), peek(queueSas)];
  await Promise.all(refusals.map(refused => refuses(refused, 403, 'AuthenticationFailed')));
}

async function open(accounts: AccountKeys, host?: string): Promise<RunningServer> {
  const server = await serve({ accounts, host });
  const table = TableClient.fromConnectionString(server.connectionString(), 'orders', CLIENT_OPTIONS);
  await table.createTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  await queueClient(server, 'orders').create();
  return server;
}

test('a removed key grants nothing any more, and the other stays valid all the time', async t => {
  const server = await open({ [NAME]: [FIRST, SECOND] });
  t.after(() => server.close());
  const [first, second, third] = [
    await callerWith(server, FIRST),
    await callerWith(server, SECOND),
    await callerWith(server, THIRD),
  ];
  await isLetIn(first);
  await isLetIn(second);
  await isRefused(third);

  server.replaceAccounts({ [NAME]: [THIRD, SECOND] });
  await isRefused(first);
  await isLetIn(second);
  await isLetIn(third);
  assert.equal(server.account.key, THIRD);
  await TableClient.fromConnectionString(server.connectionString(), 'orders', CLIENT_OPTIONS).getEntity(
    'p',
    'r',
  );

  server.replaceAccounts({ other: [FIRST], [NAME]: [THIRD] });
  await isRefused(first);
  await isRefused(second);
  await isLetIn(third);
  assert.match(server.tableEndpoint, /\/other$/);

  server.replaceAccounts({ [NAME]: [FIRST] });
  await isLetIn(first);
  await isRefused(third);
  await assert.rejects(async () => server.connectionString('other'), /There is no account 'other'/);
});

for (const host of ['0.0.0.0', ''])
  test(`invalid accounts change nothing, nor does a well-known key beyond this machine, at '${host}'`, async t => {
    const server = await open({ [NAME]: [FIRST] }, host);
    t.after(() => server.close());
    const first = await callerWith(server, FIRST);
    await isLetIn(first);
    const wrong: readonly AccountKeys[] = [
      {},
      { [NAME]: [] },
      { [NAME]: [FIRST, SECOND, THIRD] },
      { [NAME]: ['no key'] },
      { [NAME]: [SECOND], Wrong: [SECOND] },
      { [NAME]: [SECOND, WELL_KNOWN_KEY] },
    ];
    for (const accounts of wrong) {
      assert.throws(() => server.replaceAccounts(accounts), { name: 'ConfigurationError' });
      await isLetIn(first);
      assert.equal(server.account.key, FIRST);
    }
  });
