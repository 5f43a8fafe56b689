// Auth.js' adapter for tables, on the official client: users, accounts, sessions and tokens from their beginning to their end. Skipped where it can't be
// installed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { modulesWith } from '../install.js';
import { newDirectory, startServer } from '../program.js';

const PACKAGES: readonly string[] = ['@auth/azure-tables-adapter@0.6.0'];
const TABLE = 'auth';

type Row = Readonly<Record<string, unknown>>;
type Call = (given: Row) => Promise<Row | null>;
type CallByName = (name: string) => Promise<Row | null>;

/** What Auth.js calls. */
interface Adapter {
  readonly createUser: (user: Row) => Promise<Row & { readonly id: string }>;
  readonly getUser: CallByName;
  readonly getUserByEmail: CallByName;
  readonly getUserByAccount: Call;
  readonly updateUser: Call;
  readonly deleteUser: CallByName;
  readonly linkAccount: Call;
  readonly unlinkAccount: Call;
  readonly createSession: Call;
  readonly getSessionAndUser: CallByName;
  readonly updateSession: Call;
  readonly deleteSession: CallByName;
  readonly createVerificationToken: Call;
  readonly useVerificationToken: Call;
}

interface Opened {
  readonly adapter: Adapter;
  readonly table: TableClient;
}

const USER: Row = {
  email: "o'neil+1@example.com",
  name: 'Zoë "Z" 日本',
  image: 'https://example.com/a?b=c&d=%20',
  emailVerified: new Date('2026-02-28T23:59:59.999Z'),
};
const ACCOUNT: Row = { provider: 'github', providerAccountId: '8-µ' };
const LATER = new Date('2999-01-01T00:00:00.000Z');

async function countRows(table: TableClient): Promise<number> {
  let count = 0;
  for await (const _ of table.listEntities()) count++;
  return count;
}

async function keepUsers({ adapter, table }: Opened): Promise<string> {
  const created = await adapter.createUser(USER);
  const { id } = created;
  assert.deepEqual(await adapter.getUser(id), created);
  assert.deepEqual(await adapter.getUserByEmail(String(USER.email)), created);
  assert.equal(await adapter.getUser('missing'), null);

  // Two registrations of one address at once: the table lets one in.
  const twice = await Promise.allSettled([1, 2].map(() => adapter.createUser({ ...USER, email: 'b@b' })));
  assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);

  await adapter.updateUser({ id, name: 'New' });
  assert.deepEqual(await adapter.getUser(id), { ...created, name: 'New' });

  await adapter.linkAccount({ ...ACCOUNT, userId: id, type: 'oauth', expires_at: 2_147_483_647 });
  assert.equal((await adapter.getUserByAccount(ACCOUNT))?.id, id);
  assert.equal((await table.getEntity<Row>('account', '8-µ_github')).expires_at, 2_147_483_647);
  await adapter.unlinkAccount(ACCOUNT);
  assert.equal(await adapter.getUserByAccount(ACCOUNT), null);
  await adapter.linkAccount({ ...ACCOUNT, userId: id, type: 'oauth', expires_at: Date.now() });
  return id;
}

async function keepSessions({ adapter }: Opened, userId: string): Promise<void> {
  const session = { sessionToken: 'token', userId, expires: LATER };
  await adapter.createSession(session);
  const found = await adapter.getSessionAndUser('token');
  assert.deepEqual(found?.session, session);
  const sooner = new Date('2998-12-31T23:59:59.001Z');
  await adapter.updateSession({ sessionToken: 'token', expires: sooner });
  assert.deepEqual((await adapter.getSessionAndUser('token'))?.session, { ...session, expires: sooner });
  await adapter.deleteSession('token');
  assert.equal(await adapter.getSessionAndUser('token'), null);

  const token = { identifier: USER.email, token: 'a1', expires: LATER };
  await adapter.createVerificationToken(token);
  assert.equal(await adapter.useVerificationToken({ identifier: 'another', token: 'a1' }), null);
  assert.deepEqual(await adapter.useVerificationToken({ identifier: USER.email, token: 'a1' }), token);
  assert.equal(await adapter.useVerificationToken({ identifier: USER.email, token: 'a1' }), null);
  await adapter.createSession(session);
}

test("Auth.js' adapter keeps users, accounts, sessions and tokens in a table", async t => {
  const installed = modulesWith('auth-tables', PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const directory = newDirectory(t);
  const { server } = await startServer(t, directory);
  const table = TableClient.fromConnectionString(server.connectionString, TABLE, {
    allowInsecureConnection: true,
  });
  await table.createTable();
  const { TableStorageAdapter } = await import(
    join(installed.modules, '@auth', 'azure-tables-adapter', 'index.js')
  );
  const opened: Opened = { adapter: TableStorageAdapter(table), table };

  const id = await keepUsers(opened);
  await keepSessions(opened, id);
  const before = await countRows(table);
  await opened.adapter.deleteUser(id);
  assert.equal(await opened.adapter.getUser(id), null);
  // The user twice, the session and the account with the index of each.
  assert.equal(await countRows(table), before - 6);
});
