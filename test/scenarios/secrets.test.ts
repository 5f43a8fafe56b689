// No output of the process contains a secret: every kind of credential is sent, valid, invalid and mutated, alone and in
// batches, keys are changed, the data is damaged, and all of standard output and standard error is searched at the most verbose level.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Accounts, issueToken, type Role } from 'shelfmark';
import { until } from '#base/testing/until';
import { type Addressed, type RawRequest, type RawResponse, rawRequest } from '../support/raw-client.js';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';

const newKey = (): string => randomBytes(64).toString('base64');
const NAME = 'guarded';
const [FIRST, SECOND, THIRD, STRANGE] = [newKey(), newKey(), newKey(), newKey()];
const PASSWORD = 'correct horse battery staple';
/** Of the stored policy alone. */
const POLICY_EXPIRY = '2021-05-06T07:08:09.0000000Z';
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' };
const ROLES: readonly Role[] = ['Storage Table Data Contributor'];

/** Sends, and keeps every secret that it sends. */
class Sender {
  readonly secrets = new Set<string>([FIRST, SECOND, THIRD, STRANGE, PASSWORD]);
  readonly #server: Addressed;

  constructor(server: SpawnedServer) {
    this.#server = { account: { name: NAME, key: FIRST }, tablePort: server.port };
  }

  send(method: string, path: string, more: Partial<RawRequest> = {}): Promise<RawResponse> {
    const target = path.startsWith('/') ? path : `/${NAME}/${path}`;
    return rawRequest(this.#server, {
      method,
      target,
      ...more,
      headers: { ...JSON_HEADERS, ...more.headers },
    });
  }

  /** With this and no other Authorization header. */
  sendAs(authorization: string, method = 'GET', path = 'Tables', more: Partial<RawRequest> = {}) {
    this.#keep(authorization.replace(/^\w+ +/, ''));
    const headers = { 'x-ms-version': '2021-12-02', ...more.headers, Authorization: authorization };
    return this.send(method, path, { ...more, headers, sign: 'none' });
  }

  /** A signature of the table, of a key, with parameters in place of those that it has. */
  sas(key: string, changes: Readonly<Record<string, string>> = {}): string {
    const fields: Record<string, string> = {
      sp: 'raud',
      se: '2099-01-01T00:00:00Z',
      sv: '2019-02-02',
      tn: 'vault',
      ...changes,
    };
    const line = (name: string): string => fields[name] ?? '';
    const text = [
      ...['sp', 'st', 'se'].map(line),
      `/table/${NAME}/vault`,
      ...['si', 'sip', 'spr', 'sv', 'spk', 'srk', 'epk', 'erk'].map(line),
    ].join('\n');
    const sig = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
    this.#keep(sig);
    const given = Object.entries({ ...fields, sig }).filter(([, value]) => value !== '');
    return new URLSearchParams(given).toString();
  }

  /** Headers name accounts too, which are no secrets. */
  #keep(text: string): void {
    for (const part of text.split(/[:\s]/)) if (part.length >= 12) this.secrets.add(part);
  }
}

/** Whatever a secret may look like. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret, 'base64').toString('hex'),
];

/** The shortest part of a secret that counts as a leak. */
const PART = 12;

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at + PART <= text.length; at++) yield text.slice(at, at + PART);
}

/** The first part of any form that stands in the text. */
function leakIn(text: string, secrets: Iterable<string>): string | undefined {
  const written = new Set(partsOf(text));
  for (const secret of secrets)
    for (const form of formsOf(secret))
      for (const part of partsOf(form)) if (written.has(part)) return `${part}, of ${form}`;
  return undefined;
}

async function sendHeaders(sender: Sender, token: string): Promise<void> {
  const sign = (key: string, path = `/${NAME}/Tables`): string =>
    createHmac('sha256', Buffer.from(key, 'base64')).update(`x\n/${NAME}${path}`).digest('base64');
  const [head = '', payload = '', signature = ''] = token.split('.');
  const headers = [
    `SharedKeyLite ${NAME}:${sign(STRANGE)}`,
    `SharedKey ${NAME}:${sign(FIRST)}`,
    `SharedKey ${FIRST}:${NAME}`,
    `SharedKey other:${sign(FIRST)}`,
    `SharedKey ${NAME}`,
    `SharedKey ${FIRST}`,
    `sharedkey ${NAME}:${sign(FIRST)}`,
    `SharedKey ${NAME}: ${sign(FIRST)}`,
    `SharedKey ${NAME}:${sign(FIRST)}:${sign(SECOND)}`,
    `Bearer ${token}`,
    `bearer ${token}x`,
    `Bearer ${head}.${payload}`,
    `Bearer ${head}.${payload}.`,
    `Bearer ${payload}.${head}.${signature}`,
    `Bearer ${head}.${Buffer.from(PASSWORD).toString('base64url')}.${signature}`,
    `Bearer ${Buffer.from(PASSWORD).toString('base64url')}.${payload}.${signature}`,
    `Bearer ${FIRST}`,
    `Basic ${Buffer.from(`${NAME}:${PASSWORD}`).toString('base64')}`,
    FIRST,
  ];
  const statuses = [];
  for (const header of headers) statuses.push((await sender.sendAs(header)).status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 400, 401, 403]);
}

async function sendSignatures(sender: Sender): Promise<void> {
  const right = sender.sas(FIRST);
  const target = (query: string): string => `vault()?${query}`;
  const id = { si: 'hidden', sp: '', se: '' };
  const targets = [
    target(right),
    target(sender.sas(SECOND)),
    target(sender.sas(STRANGE)),
    target(sender.sas(FIRST, { se: '2020-01-01T00:00:00Z' })),
    target(sender.sas(FIRST, { se: 'never' })),
    target(sender.sas(FIRST, { sip: '10.0.0.1' })),
    target(sender.sas(FIRST, { spr: 'https' })),
    target(sender.sas(FIRST, { sp: 'a' })),
    target(sender.sas(FIRST, id)),
    target(sender.sas(FIRST, { ...id, si: 'unknown' })),
    target(sender.sas(FIRST, { si: 'hidden' })),
    target(`${right}&ss=t&srt=sco`),
    target(`${right}&%`),
    target(right.replaceAll('&', ';')),
    `vault()%3F${right}`,
    `vault()%3F${encodeURIComponent(right)}`,
    `vault()&${right}`,
    `vault();${right}`,
    `vault(${right})`,
    `${right}`,
    `/${encodeURIComponent(FIRST)}/Tables`,
    `/${NAME}/AccountName=${NAME};AccountKey=${FIRST};`,
    `/${NAME}/vault(PartitionKey='${encodeURIComponent(FIRST)}',RowKey='')`,
  ];
  const statuses = [];
  for (const each of targets)
    statuses.push((await sender.send('GET', each, { sign: 'none', headers: JSON_HEADERS })).status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 400, 403]);
  await sender.send('GET', 'Tables', { headers: { 'x-ms-client-request-id': right } });
}

async function sendBatches(sender: Sender, token: string): Promise<void> {
  const right = sender.sas(FIRST);
  const targets = [`vault?${right}`, `vault%3F${right}`, `Tables?${sender.sas(STRANGE)}`, 'vault'];
  const heads = [`Authorization: SharedKey ${NAME}:${FIRST}`, `Authorization: Bearer ${token}`];
  for (const target of targets)
    for (const head of heads) {
      const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nPOST http://127.0.0.1/${NAME}/${target} HTTP/1.1\r\n${head}\r\nContent-Type: application/json\r\n\r\n{"PartitionKey":"p","RowKey":"r","x":"${FIRST}\r\n--c--\r\n--b--\r\n`;
      const more = { body, headers: { 'Content-Type': 'multipart/mixed; boundary=b' } };
      await sender.send('POST', '$batch', more);
      await sender.sendAs(`Bearer ${token}`, 'POST', '$batch', more);
      await sender.sendAs(`SharedKey ${NAME}:${STRANGE}`, 'POST', '$batch', more);
      await sender.send('POST', `$batch?${right}`, { ...more, sign: 'none' });
    }
}

/** The format of an entity's stored form is the byte that many before its first text (tables/entity/entity-codec.ts). */
const FORMAT_BEFORE_TEXT = 20;

async function makeFault(sender: Sender, data: string): Promise<void> {
  const path = join(data, 'data.mdb');
  const at = (await readFile(path)).indexOf(',"content":"to be damaged"');
  assert(at > 0);
  const file = await open(path, 'r+');
  await file.write(Buffer.of(9), 0, 1, at - FORMAT_BEFORE_TEXT);
  await file.close();
  const query = `vault(PartitionKey='p',RowKey='damaged')?${sender.sas(FIRST)}`;
  const headers = { 'x-ms-client-request-id': 'the-fault' };
  assert.equal((await sender.send('GET', query, { sign: 'none', headers })).status, 500);
  assert.equal((await sender.send('GET', "vault(PartitionKey='p',RowKey='damaged')")).status, 500);
}

async function prepare(sender: Sender): Promise<void> {
  assert.equal((await sender.send('POST', 'Tables', { body: '{"TableName":"vault"}' })).status, 201);
  const entity = { PartitionKey: 'p', RowKey: 'damaged', content: 'to be damaged' };
  assert.equal((await sender.send('POST', 'vault', { body: JSON.stringify(entity) })).status, 201);
  const policy = (times: string): string =>
    `<?xml version="1.0"?><SignedIdentifiers><SignedIdentifier><Id>hidden</Id><AccessPolicy>${times}<Permission>raud</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`;
  const expiry = `<Expiry>${POLICY_EXPIRY}</Expiry>`;
  for (const [body, status] of [
    [policy(expiry), 204],
    [policy(`<Start>never</Start>${expiry}`), 400],
    [policy(expiry).slice(0, -10), 400],
  ] as const)
    assert.equal((await sender.send('PUT', 'vault?comp=acl', { body })).status, status);
}

/** Files of accounts that make no sense, each with a key somewhere. */
async function changeKeys(server: SpawnedServer, path: string): Promise<void> {
  const wrong = [
    `${NAME}=${THIRD}`,
    `${THIRD}:${NAME}`,
    `${NAME}:${THIRD}!`,
    `Upper:${THIRD}`,
    `${NAME}:${THIRD};${THIRD}`,
  ];
  for (const [i, text] of wrong.entries()) {
    await writeFile(path, text);
    process.kill(server.pid, 'SIGHUP');
    await until('it is told', () => server.stderr().split('was not taken').length === i + 2);
  }
  await writeFile(path, `${NAME}:${FIRST}:${THIRD}`);
  process.kill(server.pid, 'SIGHUP');
  await until('the accounts hold', () => /hold now: guarded with 2 keys\./.test(server.stderr()));
}

async function start(t: TestContext, directory: string): Promise<SpawnedServer> {
  await writeFile(join(directory, 'accounts'), `${NAME}:${FIRST}:${SECOND}`);
  const flags = ['--data', join(directory, 'data'), '--table-port', '0', '--log-level', 'debug'];
  const server = await spawnServer(['serve', ...flags, '--accounts', join(directory, 'accounts')]);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

test('nothing that is written holds a secret, whatever was sent', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-secrets-'));
  t.after(() => rm(directory, { recursive: true }));
  const server = await start(t, directory);
  const sender = new Sender(server);
  const now = BigInt(Date.now()) * 10_000n;
  const accounts = new Accounts({ [NAME]: [FIRST] });
  const token = await issueToken(accounts, { account: NAME, roles: ROLES, lifetimeSeconds: 3_600 }, now);
  await prepare(sender);
  await sendHeaders(sender, token);
  await sendSignatures(sender);
  await sendBatches(sender, token);
  await makeFault(sender, join(directory, 'data'));
  await changeKeys(server, join(directory, 'accounts'));
  assert.equal((await sender.send('GET', `vault()?${sender.sas(SECOND)}`, { sign: 'none' })).status, 403);
  const { stdout, stderr } = await server.stop('SIGTERM');
  const lines = stderr.split('\n').filter(line => line.startsWith('{'));
  const entries: { status: number; requestId: string; reason?: string; clientRequestId?: string }[] =
    lines.map(line => JSON.parse(line));
  assert(entries.length > 70, `${entries.length} entries`);
  assert(entries.every(({ requestId }) => /^[0-9a-f-]{36}$/.test(requestId)));
  assert(entries.some(({ status, clientRequestId }) => status === 500 && clientRequestId === 'the-fault'));
  assert(entries.some(({ reason }) => reason?.includes('time frame of its policy')));
  assert.equal(leakIn(stdout + stderr, sender.secrets), undefined);
  assert.doesNotMatch(stderr, new RegExp(POLICY_EXPIRY.slice(0, 10)), 'The content of a stored policy.');
});

test('a secret would be found', () => {
  assert.equal(leakIn(`${FIRST.slice(3, 14)} ${PASSWORD.slice(0, 11)}`, [FIRST, PASSWORD]), undefined);
  for (const text of [
    FIRST.slice(3, 15),
    encodeURIComponent(FIRST),
    Buffer.from(FIRST, 'base64').toString('hex'),
  ])
    assert(leakIn(`x${text}x`, [PASSWORD, FIRST]), text);
});
