// Attempts at tables and blobs, with credentials good and bad, against the services in front of a store: exactly those are
// let in that may be, and a query shows exactly the rows of its token's range.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Accounts, issueToken, type Role, WELL_KNOWN_KEY } from '#server';
import { ROLES } from '#server/parts';
import { openMemoryStore } from '#store';
import { drawFrom, drawn } from '../../random/arbitrary.js';
import { answerOf, directService } from '../../support/direct-service.js';
import { checkAnswer } from '../check-answer.js';
import { checkCases } from '../check-cases.js';
import { ACCOUNT, DATE, NOW } from '../world.js';
import { BLOBS, type BlobSecrets, CONTAINERS, type DelegationKey, LOG, someBlobAttempt } from './blobs.js';
import { BLOB_POLICIES, POLICY_DOCUMENT, policyDocument } from './policies.js';
import {
  ACCOUNTS,
  type Issued,
  PARTITIONS,
  ROWS,
  type Secrets,
  someAttempt,
  someGranted,
  TABLES,
} from './tables.js';
import { mac, type Presented } from './token.js';

const TABLE_ATTEMPTS = 500;
const BLOB_ATTEMPTS = 200;
/** Of keys, bearers, and both kinds of signatures. */
const CREDENTIALS_MIN = 4;
/** Of the attempts at blobs so many must succeed, or the others prove nothing. */
const LET_IN_SHARE = 0.04;
/** The first account has two keys, the second one. */
const KEYS: ReadonlyMap<string, readonly Buffer[]> = new Map([
  [ACCOUNTS[0], [Buffer.from(WELL_KNOWN_KEY, 'base64'), Buffer.alloc(32, 'second key')]],
  [ACCOUNTS[1], [Buffer.alloc(64, 'of another account')]],
]);
const accounts = new Accounts(
  Object.fromEntries([...KEYS].map(([name, keys]) => [name, keys.map(key => key.toString('base64'))])),
);
const TICKS_AN_HOUR = 36_000_000_000n;

interface Reply {
  readonly status: number;
  readonly text: string;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

type Send = (service: 'tables' | 'blobs', caller: Presented, body?: string) => Promise<Reply>;

function openServices(): Send {
  const failures: unknown[] = [];
  const server = directService(openMemoryStore({ clock: () => NOW }), () => NOW, failures, accounts);
  return async (service, caller, body = '') => {
    const answer = await answerOf(server[service], { ...caller, body }, failures);
    checkAnswer(service === 'tables' ? 'table' : 'blob', { ...answer, isHead: caller.method === 'HEAD' });
    const headers = answer.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    return { status: answer.status, text: answer.body.toString(), headers: new Map(headers) };
  };
}

type Made = Pick<Presented, 'method' | 'target' | 'headers'>;

/** A request that must succeed. */
async function make(send: Send, service: 'tables' | 'blobs', made: Made, body = ''): Promise<Reply> {
  const headers = { host: 'localhost', 'content-length': String(Buffer.byteLength(body)), ...made.headers };
  const reply = await send(service, { ...made, headers, secure: true, remoteAddress: '127.0.0.1' }, body);
  assert(reply.status < 300, `${made.method} ${made.target}: ${reply.status} ${reply.text}`);
  return reply;
}

const bearerOf = (account: string, role: Role, time = NOW): Promise<string> =>
  issueToken(accounts, { account, roles: [role], lifetimeSeconds: 3_600 }, time);

async function issueSome(): Promise<Issued[]> {
  const some: Issued[] = [];
  for (const account of ACCOUNTS)
    for (const role of ROLES)
      for (const halfHours of [-4n, -2n, -1n, 2n]) {
        const token = await bearerOf(account, role, NOW + (halfHours * TICKS_AN_HOUR) / 2n);
        some.push({ token, account, role, isInTime: halfHours === -1n });
      }
  return some;
}

/** The same tables, entities and policies in both accounts. */
async function fillTables(send: Send): Promise<void> {
  for (const [account, [key = Buffer.alloc(0)]] of KEYS) {
    const put = (method: string, path: string, body: string): Promise<unknown> => {
      const target = `/${account}/${path}`;
      const authorization = `SharedKeyLite ${account}:${mac(key, `${DATE}\n/${account}${target}`)}`;
      return make(send, 'tables', { method, target, headers: { 'x-ms-date': DATE, authorization } }, body);
    };
    for (const table of TABLES) {
      await put('POST', 'Tables', JSON.stringify({ TableName: table }));
      await put('PUT', `${table}?comp=acl`, POLICY_DOCUMENT);
      for (const PartitionKey of PARTITIONS)
        for (const RowKey of ROWS) await put('POST', table, JSON.stringify({ PartitionKey, RowKey }));
    }
  }
}

function checkRows(shows: (key: { partition: string; row: string }) => boolean, text: string): void {
  const { value }: { value: readonly { PartitionKey: string; RowKey: string }[] } = JSON.parse(text);
  const shown = new Set(value.map(({ PartitionKey, RowKey }) => `${PartitionKey} ${RowKey}`));
  for (const partition of PARTITIONS)
    for (const row of ROWS)
      assert.equal(shown.has(`${partition} ${row}`), shows({ partition, row }), `${partition} ${row}`);
}

test('only authorized callers get at tables, and only at the rows of their range', async () => {
  const bearers = await issueSome();
  const letIn = new Set<string>();
  await checkCases(TABLE_ATTEMPTS, async seed => {
    const draw = drawFrom(seed);
    const none: Secrets = { keys: KEYS, bearers, granted: [] };
    const granted = Array.from({ length: 16 }, (_, at) => someGranted(draw, none, at % 3 > 0));
    const send = openServices();
    await fillTables(send);
    const attempts = drawn(own => someAttempt(own, { ...none, granted }));
    return fc.asyncProperty(attempts, async ({ caller, body, may, credential, isLetIn, shows }) => {
      const { status, text } = await send('tables', caller, body);
      const isIn = isLetIn(status, text);
      assert.equal(isIn, may, `Let in, or kept out, against the rules: ${status} ${text}`);
      if (isIn) letIn.add(credential);
      if (isIn && shows) checkRows(shows, text);
    });
  });
  assert.ok(letIn.size >= CREDENTIALS_MIN, `Let in only by ${[...letIn].join()}.`);
});

/** The permissions of a key's owner, by role. */
const OWNERS: readonly (readonly [role: Role, letters: string])[] = [
  ['Storage Blob Data Owner', 'racwdlt'],
  ['Storage Blob Data Reader', 'rl'],
];
const KEY_FIELDS = {
  ...{ skoid: 'SignedOid', sktid: 'SignedTid', skt: 'SignedStart', ske: 'SignedExpiry' },
  ...{ sks: 'SignedService', skv: 'SignedVersion' },
};

/** The same containers, blobs and keys. */
async function fillBlobs(send: Send): Promise<BlobSecrets> {
  const asRole = async (role: Role, method: string, path: string, body = '', type = ''): Promise<Reply> => {
    const authorization = `Bearer ${await bearerOf(ACCOUNT, role)}`;
    const headers = { 'x-ms-version': '2021-12-02', authorization, ...(type && { 'x-ms-blob-type': type }) };
    return make(send, 'blobs', { method, target: `/${ACCOUNT}/${path}`, headers }, body);
  };
  const put = (path: string, body?: string, type?: string): Promise<Reply> =>
    asRole('Storage Account Contributor', 'PUT', path, body, type);
  for (const container of CONTAINERS) {
    await put(`${container}?restype=container`);
    await put(`${container}?restype=container&comp=acl`, policyDocument(BLOB_POLICIES));
    for (const blob of BLOBS)
      await put(`${container}/${blob.split('/').map(encodeURIComponent).join('/')}`, 'content', 'BlockBlob');
    await put(`${container}/${LOG}`, '', 'AppendBlob');
  }
  const { headers } = await put(`${CONTAINERS[0]}/${BLOBS[0]}?comp=snapshot`);
  const delegated: DelegationKey[] = [];
  for (const [role, letters] of OWNERS)
    for (const start of ['2019-12-31T00:00:00Z', '2020-01-01T02:00:00Z']) {
      const body = `<KeyInfo><Start>${start}</Start><Expiry>2020-01-05T00:00:00Z</Expiry></KeyInfo>`;
      const path = '?restype=service&comp=userdelegationkey';
      const { text } = await asRole(role, 'POST', path, body);
      const of = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? '';
      const fields = new Map(Object.entries(KEY_FIELDS).map(([field, name]) => [field, of(name)]));
      const value = Buffer.from(of('Value'), 'base64');
      delegated.push({ fields, value, letters, isInTime: start.startsWith('2019') });
    }
  const snapshot = headers.get('x-ms-snapshot') ?? '';
  return {
    account: ACCOUNT,
    keys: KEYS.get(ACCOUNT) ?? [],
    now: Number(NOW / 10_000n),
    delegated,
    snapshot,
  };
}

test('only authorized callers get at blobs', async () => {
  const counts = { all: 0, letIn: 0 };
  await checkCases(BLOB_ATTEMPTS, async () => {
    const send = openServices();
    const secrets = await fillBlobs(send);
    const attempts = drawn(draw => someBlobAttempt(draw, secrets));
    return fc.asyncProperty(attempts, async ({ caller, body, may }) => {
      counts.all += 1;
      const { status, text } = await send('blobs', caller, body);
      // An invalid snapshot is refused as such, and a HEAD does not say so.
      if (status === 400 && /snapshot=/i.test(caller.target)) return;
      // 404, 409 and 412 reveal the state, which unauthorized callers never learn.
      const isIn = status < 300 || status === 404 || status === 409 || status === 412;
      assert.ok(isIn || [400, 401, 403].includes(status), `${status} ${text}`);
      assert.equal(isIn, may, `Let in, or kept out, against the rules: ${status} ${text}`);
      counts.letIn += isIn ? 1 : 0;
    });
  });
  assert.ok(counts.letIn >= LET_IN_SHARE * counts.all, JSON.stringify(counts));
});
