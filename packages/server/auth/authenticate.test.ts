// Requests with every kind of credentials, right and wrong: the grant or the refusal (protocol: authentication, sas).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError, type SignedIdentifier } from '#account';
import type { WireRequest } from '#base';
import { openMemoryStore } from '#store';
import { isAccountSas, parseAccountSas, parseTableSas } from '#wire';
import type { Route } from '#wire/table';
import { TABLE_SERVICE } from '../services/table/table-service.js';
import { Accounts } from './accounts.js';
import type { AuthenticationProtocol } from './auth-protocol.js';
import { Authenticator } from './authenticate.js';
import { BearerTokens, issueToken } from './bearer.js';
import { SignedTokens } from './signed-tokens.js';

const ACCOUNT = 'devstoreaccount1';
const KEY = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);
const OTHER_KEY = Buffer.from('another key');
const ACCOUNTS = new Accounts({ [ACCOUNT]: [KEY.toString('base64')] });
const TWO_KEYS = new Accounts({ [ACCOUNT]: [OTHER_KEY.toString('base64'), KEY.toString('base64')] });
const STORE = openMemoryStore();
const BEARER = new BearerTokens(ACCOUNTS);
const DATE = 'Mon, 27 Jul 2020 12:28:53 GMT';
const MINUTE = 600_000_000n;
const NOW = BigInt(Date.parse(DATE)) * 10_000n;

const sign = (text: string, key = KEY) => createHmac('sha256', key).update(text).digest('base64');

interface Sent {
  readonly headers?: WireRequest['headers'];
  readonly path?: string;
  readonly query?: string;
  readonly account?: string;
  readonly secondary?: boolean;
  readonly method?: string;
  readonly secure?: boolean;
  readonly remoteAddress?: string;
  readonly now?: bigint;
  readonly signed?: SignedTokens;
  readonly policies?: readonly SignedIdentifier[];
  readonly accounts?: Accounts;
}

/** The grant of a request, or its refusal. */
async function attempt(sent: Sent) {
  const { account = ACCOUNT, path = `/${account}/Tables`, query = '' } = sent;
  const request: WireRequest = {
    method: sent.method ?? 'GET',
    target: `${path}?${query}`,
    headers: sent.headers ?? {},
    body: Buffer.alloc(0),
    bodyTooLarge: false,
    secure: sent.secure ?? false,
    remoteAddress: sent.remoteAddress ?? '127.0.0.1',
  };
  const route: Route = {
    account,
    secondary: sent.secondary ?? false,
    path,
    endpoint: `http://127.0.0.1:10002/${account}`,
    resource: { kind: 'tables' },
    query: new Map(new URLSearchParams(query)),
  };
  const protocol: AuthenticationProtocol<Route> = {
    ...TABLE_SERVICE,
    readPolicies: async (_, name, table) =>
      name === ACCOUNT && table === 'MyTable' ? sent.policies : undefined,
  };
  const server = { accounts: sent.accounts ?? TWO_KEYS, bearer: BEARER, store: STORE };
  return new Authenticator(protocol, server, sent.signed).authenticate(request, route, sent.now ?? NOW);
}

async function refusal(sent: Sent): Promise<ServiceError> {
  const outcome = await attempt(sent).catch((error: unknown) => error);
  assert.ok(outcome instanceof ServiceError, 'The request should have been refused.');
  assert.equal(typeof outcome.detail.reason, 'string');
  return outcome;
}

/** That a request is refused with a code, and with a detail that the answer shows or a reason for the log alone. */
async function refused(sent: Sent, code: string, why: { detail?: RegExp; reason?: RegExp } = {}) {
  const error = await refusal(sent);
  assert.equal(error.code, code, JSON.stringify(sent.headers ?? sent.query));
  for (const [name, pattern] of Object.entries(why)) assert.match(String(error.detail[name]), pattern);
  return error;
}

const SHARED_KEY = 'AuthenticationFailed';
const SAS = 'AuthenticationFailed:Sas';
const CHALLENGE = 'InvalidAuthenticationInfo:Challenge';
const OWNER = { kind: 'owner' };
const PATH = `/${ACCOUNT}/Tables`;
const lite = (path = PATH, key = KEY) =>
  `SharedKeyLite ${ACCOUNT}:${sign(`${DATE}\n/${ACCOUNT}${path}`, key)}`;
const dated = (authorization = lite()) => ({ 'x-ms-date': DATE, authorization });

test('Shared Key Lite and Shared Key, with either key of the account', async () => {
  const headers = dated(`SharedKeyLite ${ACCOUNT}:VbydjldjsQucyO+nic8ZIcZ10VIIm/Q+bScgwEsQGtc=`);
  assert.deepEqual(await attempt({ headers }), OWNER);
  assert.deepEqual(await attempt({ headers: dated(lite(PATH, OTHER_KEY)) }), OWNER);
  const full = {
    'content-type': 'application/json',
    date: DATE,
    authorization: `SharedKey ${ACCOUNT}:U/bg+H9hHOXgbYgmMfXzOSYjn1qSIk3YrA0vvnDnZk8=`,
  };
  assert.deepEqual(await attempt({ method: 'POST', headers: full }), OWNER);
  await refused({ method: 'PUT', headers: full }, SHARED_KEY);
});

test('a date that is off by 15 minutes is taken, by more it is not; x-ms-date counts before Date', async () => {
  const off = 15n * MINUTE;
  for (const now of [NOW - off, NOW + off]) assert.deepEqual(await attempt({ headers: dated(), now }), OWNER);
  for (const now of [NOW - off - 1n, NOW + off + 1n]) await refused({ headers: dated(), now }, SHARED_KEY);
  assert.deepEqual(await attempt({ headers: { ...dated(), date: 'x' } }), OWNER);
  for (const date of [{ 'x-ms-date': 'x', date: DATE }, { date: 'x' }, {}])
    await refused({ headers: { authorization: lite(), ...date } }, SHARED_KEY);
});

test('the path is signed with the suffix of the secondary or without, with quotes encoded or not', async () => {
  const secondary = `/${ACCOUNT}-secondary/Tables`;
  for (const signed of [secondary, PATH])
    assert.deepEqual(
      await attempt({ headers: dated(lite(signed)), path: secondary, secondary: true }),
      OWNER,
    );
  const raw = `/${ACCOUNT}/t(PartitionKey='a',RowKey='%25')`;
  const encoded = `/${ACCOUNT}/t(PartitionKey=%27a%27,RowKey=%27%25%27)`;
  assert.deepEqual(await attempt({ headers: dated(lite(raw)), path: encoded }), OWNER);
  assert.deepEqual(await attempt({ headers: dated(lite(encoded)), path: raw }), OWNER);
});

test('a wrong key, path, account or signature is refused, and the log learns why', async () => {
  for (const [authorization, reason] of [
    [lite(PATH, Buffer.from('wrong')), /The signature is not of/],
    [lite(`/${ACCOUNT}/Other`), /The signature is not of/],
    [`SharedKeyLite ${ACCOUNT}:x`, /The signature is not of/],
    [`SharedKey ${ACCOUNT}:${sign(`${DATE}\n/${ACCOUNT}${PATH}`)}`, /The signature is not of/],
    [lite().replace(ACCOUNT, 'other'), /Signed for other, sent to devstoreaccount1/],
  ] as const) {
    const error = await refused({ headers: dated(authorization) }, SHARED_KEY, { reason });
    const signature = authorization.slice(authorization.indexOf(':') + 1);
    if (signature !== 'x') assert.ok(!JSON.stringify(error.detail).includes(signature));
  }
  for (const authorization of ['', 'SharedKey', `SharedKey ${ACCOUNT}`, `Basic ${ACCOUNT}:x`])
    await refused({ headers: { authorization } }, 'InvalidAuthenticationInfo');
});

test('an account that is not there looks like a wrong key', async () => {
  const why = { reason: /There is no account other/ };
  const headers = dated(`SharedKeyLite other:${sign(`${DATE}\n/other/other/Tables`)}`);
  await refused({ account: 'other', headers }, SHARED_KEY, why);
  const query = signed('sv=2019-02-02&ss=t&srt=o&sp=r&se=2030-01-01', 'other');
  await refused({ account: 'other', query }, SAS, why);
});

test('without credentials: a refusal, from 2020-12-06 on a challenge', async () => {
  for (const version of [undefined, '2019-02-02', '2020-12-05'])
    await refused({ headers: { 'x-ms-version': version } }, SHARED_KEY);
  const challenge = /^Bearer authorization_uri=https:\S+ resource_id=https:\/\/storage\.azure\.com$/;
  const error = await refused({ headers: { 'x-ms-version': '2020-12-06' } }, CHALLENGE);
  assert.match(String(error.detail.challenge), challenge);
  const authorization = 'Bearer x.y.z';
  await refused({ headers: { authorization } }, SHARED_KEY);
  await refused({ headers: { authorization, 'x-ms-version': '2020-12-06' } }, CHALLENGE);
});

test('a bearer token over TLS or from this machine', async () => {
  const roles = ['Storage Table Data Reader'] as const;
  const token = await issueToken(ACCOUNTS, { account: ACCOUNT, roles, lifetimeSeconds: 60 }, NOW);
  const headers = { authorization: `Bearer ${token}` };
  const grant = { kind: 'bearer', roles, version: '' };
  const remoteAddress = '10.0.0.1';
  assert.deepEqual(await attempt({ headers }), grant);
  assert.deepEqual(await attempt({ headers, secure: true, remoteAddress }), grant);
  const newer = { ...headers, 'x-ms-version': '2025-07-05' };
  assert.deepEqual(await attempt({ headers: newer }), { ...grant, version: '2025-07-05' });
  await refused({ remoteAddress, headers }, SHARED_KEY);
  await refused({ remoteAddress, headers: newer }, CHALLENGE);
});

/** The query with its signature. */
const textOf = (query: ReadonlyMap<string, string>, account: string): string =>
  isAccountSas(query) ? parseAccountSas(query, account).text : parseTableSas(query, account).text;

function signed(query: string, account = ACCOUNT, key = KEY): string {
  const parameters = new URLSearchParams(`${query}&sig=${'A'.repeat(43)}=`);
  parameters.set('sig', sign(textOf(new Map(parameters), account), key));
  return parameters.toString();
}
const ACCOUNT_SAS = 'sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2030-07-27T00:00:00Z';
const TABLE_SAS = 'sv=2019-02-02&tn=MyTable';

test('an account signature, and a table signature with its range', async () => {
  const grant = { kind: 'accountSas', resourceTypes: 'sco', permission: 'rwdlacu' };
  const known = `${ACCOUNT_SAS}&sig=z8J6vZ%2BuQUEZqYJ3%2FHZnt3s%2BjlpxX8f%2FdXdj4ZR8cg0%3D`;
  for (const query of [known, `$top=1&${signed(ACCOUNT_SAS, ACCOUNT, OTHER_KEY)}`])
    assert.deepEqual(await attempt({ query }), grant);
  assert.deepEqual(await attempt({ query: signed(`${TABLE_SAS}&sp=ra&se=2030-01-01&spk=a&srk=1&epk=b`) }), {
    kind: 'serviceSas',
    resource: 'MyTable',
    permission: 'ra',
    range: { from: { partition: 'a', key: '1' }, until: { partition: 'b\0', key: '' } },
  });
});

test('a signature over anything else is refused, with the string that was expected', async () => {
  const query = signed(`${TABLE_SAS}&sp=r&se=2030-01-01&spk=a`);
  const why = { detail: /^Signature did not match\. String to sign used was / };
  for (const [from, to] of [
    ['sp=r', 'sp=raud'],
    ['spk=a', 'spk=A'],
    ['&spk=a', ''],
    ['tn=MyTable', 'tn=Other'],
    ['se=2030-01-01', 'se=2031-01-01'],
    ['sv=2019-02-02', 'sv=2019-02-03'],
  ] as const) {
    assert.ok(query.includes(from), from);
    await refused({ query: query.replace(from, to) }, SAS, why);
  }
  // Policies are not looked up for it.
  await refused({ query: signed(`${TABLE_SAS}&si=gone`, ACCOUNT, Buffer.from('wrong')) }, SAS, why);
});

test('a signature holds from its start until its expiry', async () => {
  const minutes = (count: bigint) => new Date(Number((NOW + count * MINUTE) / 10_000n)).toISOString();
  const query = signed(`${TABLE_SAS}&sp=r&st=${minutes(-1n)}&se=${minutes(1n)}`);
  for (const now of [NOW - MINUTE, NOW, NOW + MINUTE - 1n]) assert.ok(await attempt({ query, now }));
  const detail =
    /^Signature not valid in the specified time frame: Start \[.* GMT\] - Expiry \[.* GMT\] - Current \[.* GMT\]$/;
  for (const now of [NOW - MINUTE - 1n, NOW + MINUTE]) await refused({ query, now }, SAS, { detail });
});

test('service, address and protocol, in this order', async () => {
  const fields = (text: string) => ({ query: signed(`sv=2019-02-02&srt=o&sp=r&se=2030-01-01&${text}`) });
  await refused(fields('ss=bq&sip=10.0.0.1&spr=https'), 'AuthorizationServiceMismatch');
  await refused(fields('ss=t&sip=10.0.0.1&spr=https'), 'AuthorizationSourceIPMismatch');
  await refused(fields('ss=t&sip=127.0.0.1&spr=https'), 'AuthorizationProtocolMismatch');
  // What is not signed or not in time is refused as such, whatever else it lacks.
  await refused({ ...fields('ss=bq'), now: NOW + 100_000_000n * MINUTE }, SAS);
  const query = signed(`${TABLE_SAS}&sp=r&se=2030-01-01&sip=10.0.0.1-10.0.0.9&spr=https`);
  assert.ok(await attempt({ query, secure: true, remoteAddress: '::ffff:10.0.0.9' }));
  const outside = { query, secure: true, remoteAddress: '10.0.0.10' };
  const error = await refused(outside, 'AuthorizationSourceIPMismatch');
  assert.equal(error.detail.address, '10.0.0.10');
});

test('over plain HTTP on this machine the published account alone may use what is for HTTPS', async () => {
  const over = (accounts: Accounts, sent: Sent = {}, key = KEY) =>
    Promise.all(
      [`${ACCOUNT_SAS}&spr=https`, `${TABLE_SAS}&sp=r&se=2030-01-01&spr=https`].map(async text => {
        const query = signed(text, sent.account ?? ACCOUNT, key);
        const { kind, code } = await attempt({ ...sent, query, accounts }).catch(error => error);
        return kind ?? code;
      }),
    );
  const taken = ['accountSas', 'serviceSas'];
  const refusals = ['AuthorizationProtocolMismatch', 'AuthorizationProtocolMismatch'];
  for (const remoteAddress of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.deepEqual(await over(ACCOUNTS, { remoteAddress }), taken, remoteAddress);
  for (const remoteAddress of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])
    assert.deepEqual(await over(ACCOUNTS, { remoteAddress }), refusals, remoteAddress);
  assert.deepEqual(await over(ACCOUNTS, { secure: true, remoteAddress: '10.0.0.1' }), taken);
  assert.deepEqual(await over(TWO_KEYS), refusals, 'of two keys one is a secret');
  const own = new Accounts({ [ACCOUNT]: [OTHER_KEY.toString('base64')] });
  assert.deepEqual(await over(own, {}, OTHER_KEY), refusals, 'its name with a key that is a secret');
  const other = new Accounts({ other: [KEY.toString('base64')] });
  assert.deepEqual(await over(other, { account: 'other' }), refusals, 'another account with its key');
});

const ticks = (text: string) => BigInt(Date.parse(text)) * 10_000n;
const START = ticks('2020-01-01');
const END = ticks('2030-01-01');
const policy = (policy: SignedIdentifier['policy']): readonly SignedIdentifier[] => [
  { id: 'other', policy: { expiry: 0n, permission: 'd' } },
  { id: 'pol1', policy },
];

test('a policy fills what the signature leaves open', async () => {
  const grant = { kind: 'serviceSas', resource: 'MyTable', permission: 'r', range: undefined };
  const whole = policy({ start: START, expiry: END, permission: 'r' });
  for (const [fields, policies] of [
    ['', whole],
    ['&sp=r', policy({ expiry: END })],
    ['&se=2030-01-01', policy({ permission: 'r' })],
    ['&sp=r&se=2030-01-01', policy(undefined)],
    ['&st=2020-01-01', policy({ expiry: END, permission: 'r' })],
  ] as const)
    assert.deepEqual(await attempt({ query: signed(`${TABLE_SAS}&si=pol1${fields}`), policies }), grant);
  const query = `${TABLE_SAS}&si=pol1&sig=axYq4ImqDamyfi65Fs65/r9XSVgqfDrgjxTtJMr2hPA%3D`;
  assert.deepEqual(await attempt({ query, policies: whole }), grant);
});

test('fields that stand in both or in neither, times that are over, and policies that are not there', async () => {
  const both = /^Access policy fields can be associated with signature or SAS identifier but not both$/;
  const missing = /^SAS identifier cannot be found for specified signed identifier$/;
  const over =
    /^Signed expiry time \[Wed, 01 Jan 2020 00:00:00 GMT\] must be after signed start time \[Mon, 27 Jul 2020 12:28:53 GMT\]$/;
  const rest = { expiry: END, permission: 'r' };
  const cases: readonly (readonly [string, SignedIdentifier['policy'], RegExp])[] = [
    ['&sp=r', undefined, /^se is mandatory\. Cannot be empty$/],
    ['&se=2030-01-01', undefined, /^sp is mandatory\. Cannot be empty$/],
    ['&si=pol1&st=2020-01-01', { start: START, ...rest }, both],
    ['&si=pol1&se=2030-01-01', rest, both],
    ['&si=pol1&sp=r', rest, both],
    ['&si=pol1', undefined, /^se is mandatory/],
    ['&si=pol1', { expiry: END }, /^sp is mandatory/],
    ['&si=pol1', { permission: 'r' }, /^se is mandatory/],
    ['&si=pol1', { ...rest, expiry: START }, over],
    ['&si=pol1', { start: ticks('2021-01-01'), ...rest }, /^Signature not valid/],
    // A policy that was revoked and a table that is not there look alike.
    ['&si=gone', undefined, missing],
    ['&si=pol1&tn=Other', undefined, missing],
  ];
  for (const [fields, fieldsOfPolicy, detail] of cases) {
    const query = signed(`sv=2019-02-02${fields}${fields.includes('tn=') ? '' : '&tn=MyTable'}`);
    await refused({ query, policies: policy(fieldsOfPolicy) }, SAS, { detail });
  }
});

test('the header counts before the query', async () => {
  const query = signed(ACCOUNT_SAS);
  assert.deepEqual(await attempt({ headers: dated(), query }), OWNER);
  await refused({ headers: dated(`SharedKeyLite ${ACCOUNT}:x`), query }, SHARED_KEY);
});

test('arbitrary credentials are refused as a ServiceError', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('SharedKey a:b', `SharedKeyLite ${ACCOUNT}:x`, DATE, '2019-02-02'),
  );
  const header = fc.constantFrom('authorization', 'x-ms-date', 'date', 'x-ms-version', 'content-type');
  const name = fc.constantFrom('sig', 'sv', 'tn', 'ss', 'srt', 'sp', 'se', 'si');
  await fc.assert(
    fc.asyncProperty(fc.dictionary(header, text), fc.dictionary(name, text), async (headers, query) => {
      await refusal({ headers, query: new URLSearchParams(query).toString() });
    }),
    { numRuns: 500 },
  );
});

test('a signature that was found to hold is remembered, not what depends on the moment', async () => {
  const known = new SignedTokens();
  const query = signed(`${ACCOUNT_SAS}&sip=10.0.0.1`);
  const caller = { query, signed: known, remoteAddress: '10.0.0.1' };
  await attempt(caller);
  await attempt(caller);
  assert.equal(known.size, 1);
  await refused({ ...caller, now: ticks('2030-07-27') }, SAS);
  await refused({ ...caller, remoteAddress: '10.0.0.2' }, 'AuthorizationSourceIPMismatch');
  await refused({ ...caller, query: query.replace('sp=rwdlacu', 'sp=rwdlacup') }, SAS);
  await refused({ ...caller, account: 'another' }, SAS);
  assert.equal(known.size, 1, 'nothing that was refused is remembered');
});
