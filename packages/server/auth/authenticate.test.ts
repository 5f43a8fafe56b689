// Requests with every kind of credentials, right and wrong: the grant or the refusal (protocol: authentication, sas).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError, type SignedIdentifier } from '#account';
import type { WireRequest } from '#base';
import { openMemoryStore } from '#store';
import {
  accountSasStringToSign,
  isAccountSas,
  parseAccountSas,
  parseTableSas,
  TABLE_SAS_FIELDS,
  tableSasStringToSign,
} from '#wire';
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

const lite = (path: string, key = KEY) =>
  `SharedKeyLite ${ACCOUNT}:${sign(`${DATE}\n/${ACCOUNT}${path}`, key)}`;
const OWNER = { kind: 'owner' };

test('Shared Key Lite and Shared Key, with either key of the account', async () => {
  const headers = {
    'x-ms-date': DATE,
    authorization: `SharedKeyLite ${ACCOUNT}:VbydjldjsQucyO+nic8ZIcZ10VIIm/Q+bScgwEsQGtc=`,
  };
  assert.deepEqual(await attempt({ headers }), OWNER);
  const withOther = { 'x-ms-date': DATE, authorization: lite(`/${ACCOUNT}/Tables`, OTHER_KEY) };
  assert.deepEqual(await attempt({ headers: withOther }), OWNER);
  const full = {
    'content-type': 'application/json',
    date: DATE,
    authorization: `SharedKey ${ACCOUNT}:U/bg+H9hHOXgbYgmMfXzOSYjn1qSIk3YrA0vvnDnZk8=`,
  };
  assert.deepEqual(await attempt({ method: 'POST', headers: full }), OWNER);
  assert.equal((await refusal({ method: 'PUT', headers: full })).code, 'AuthenticationFailed');
});

test('a date that is off by 15 minutes is taken, by more it is not', async () => {
  const headers = { 'x-ms-date': DATE, authorization: lite(`/${ACCOUNT}/Tables`) };
  for (const now of [NOW - 15n * MINUTE, NOW + 15n * MINUTE]) {
    assert.deepEqual(await attempt({ headers, now }), OWNER);
  }
  for (const now of [NOW - 15n * MINUTE - 1n, NOW + 15n * MINUTE + 1n]) {
    assert.equal((await refusal({ headers, now })).code, 'AuthenticationFailed');
  }
});

test('x-ms-date counts, also where Date is right', async () => {
  const authorization = lite(`/${ACCOUNT}/Tables`);
  assert.deepEqual(await attempt({ headers: { authorization, 'x-ms-date': DATE, date: 'x' } }), OWNER);
  const dates = [{ 'x-ms-date': 'x', date: DATE }, { date: 'x' }, {}];
  for (const date of dates) {
    assert.equal((await refusal({ headers: { authorization, ...date } })).code, 'AuthenticationFailed');
  }
});

test('the secondary is signed with its suffix in the path, or without', async () => {
  const path = `/${ACCOUNT}-secondary/Tables`;
  for (const signed of [path, `/${ACCOUNT}/Tables`]) {
    const headers = { 'x-ms-date': DATE, authorization: lite(signed) };
    assert.deepEqual(await attempt({ headers, path, secondary: true }), OWNER);
  }
});

test('quotes may have been encoded on the way', async () => {
  const [raw, encoded] = [
    `/${ACCOUNT}/t(PartitionKey='a',RowKey='%25')`,
    `/${ACCOUNT}/t(PartitionKey=%27a%27,RowKey=%27%25%27)`,
  ];
  for (const [signed, path] of [
    [raw, encoded],
    [encoded, raw],
  ] as const) {
    const headers = { 'x-ms-date': DATE, authorization: lite(signed) };
    assert.deepEqual(await attempt({ headers, path }), OWNER);
  }
});

test('a wrong key, path, account or signature is refused, and the log learns why', async () => {
  const path = `/${ACCOUNT}/Tables`;
  const cases = [
    [lite(path, Buffer.from('wrong')), /The signature is not of/],
    [lite(`/${ACCOUNT}/Other`), /The signature is not of/],
    [`SharedKeyLite ${ACCOUNT}:x`, /The signature is not of/],
    [`SharedKey ${ACCOUNT}:${sign(`${DATE}\n/${ACCOUNT}${path}`)}`, /The signature is not of/],
    [lite(path).replace(ACCOUNT, 'other'), /Signed for other, sent to devstoreaccount1/],
  ] as const;
  for (const [authorization, reason] of cases) {
    const error = await refusal({ headers: { 'x-ms-date': DATE, authorization } });
    assert.equal(error.code, 'AuthenticationFailed');
    assert.match(String(error.detail.reason), reason);
    const signature = authorization.slice(authorization.indexOf(':') + 1);
    if (signature !== 'x') assert.ok(!JSON.stringify(error.detail).includes(signature));
  }
});

test('an account that is not there looks like a wrong key', async () => {
  const authorization = `SharedKeyLite other:${sign(`${DATE}\n/other/other/Tables`)}`;
  const error = await refusal({ account: 'other', headers: { 'x-ms-date': DATE, authorization } });
  assert.equal(error.code, 'AuthenticationFailed');
  assert.match(String(error.detail.reason), /There is no account other/);
  const query = signed('sv=2019-02-02&ss=t&srt=o&sp=r&se=2030-01-01', 'other');
  const withSas = await refusal({ account: 'other', query });
  assert.equal(withSas.code, 'AuthenticationFailed:Sas');
  assert.match(String(withSas.detail.reason), /There is no account other/);
});

test('a malformed header is refused before it is compared', async () => {
  for (const authorization of ['', 'SharedKey', `SharedKey ${ACCOUNT}`, `Basic ${ACCOUNT}:x`]) {
    assert.equal(
      (await refusal({ headers: { authorization } })).code,
      'InvalidAuthenticationInfo',
      authorization,
    );
  }
});

test('without credentials: a refusal, from 2020-12-06 on a challenge', async () => {
  const versions = [undefined, '2019-02-02', '2020-12-05'];
  for (const version of versions) {
    assert.equal((await refusal({ headers: { 'x-ms-version': version } })).code, 'AuthenticationFailed');
  }
  const error = await refusal({ headers: { 'x-ms-version': '2020-12-06' } });
  assert.equal(error.code, 'InvalidAuthenticationInfo:Challenge');
  assert.match(
    String(error.detail.challenge),
    /^Bearer authorization_uri=https:\S+ resource_id=https:\/\/storage\.azure\.com$/,
  );
  const authorization = 'Bearer x.y.z';
  assert.equal((await refusal({ headers: { authorization } })).code, 'AuthenticationFailed');
  const bearer = await refusal({ headers: { authorization, 'x-ms-version': '2020-12-06' } });
  assert.equal(bearer.code, 'InvalidAuthenticationInfo:Challenge');
});

test('a bearer token over TLS or from this machine', async () => {
  const roles = ['Storage Table Data Reader'] as const;
  const token = await issueToken(ACCOUNTS, { account: ACCOUNT, roles, lifetimeSeconds: 60 }, NOW);
  const headers = { authorization: `Bearer ${token}` };
  const grant = { kind: 'bearer', roles, version: '' };
  assert.deepEqual(await attempt({ headers }), grant);
  assert.deepEqual(await attempt({ headers, secure: true, remoteAddress: '10.0.0.1' }), grant);
  const newer = { ...headers, 'x-ms-version': '2025-07-05' };
  assert.deepEqual(await attempt({ headers: newer }), { ...grant, version: '2025-07-05' });
  const far = { remoteAddress: '10.0.0.1' };
  assert.equal((await refusal({ ...far, headers })).code, 'AuthenticationFailed');
  assert.equal((await refusal({ ...far, headers: newer })).code, 'InvalidAuthenticationInfo:Challenge');
});

/** The query with its signature. */
const textOf = (query: ReadonlyMap<string, string>, account: string): string =>
  isAccountSas(query)
    ? accountSasStringToSign(parseAccountSas(query), account)
    : tableSasStringToSign(parseTableSas(query), account);

function signed(query: string, account = ACCOUNT, key = KEY): string {
  const parameters = new URLSearchParams(`${query}&sig=${'A'.repeat(43)}=`);
  parameters.set('sig', sign(textOf(new Map(parameters), account), key));
  return parameters.toString();
}
const ACCOUNT_SAS = 'sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2030-07-27T00:00:00Z';
const TABLE_SAS = 'sv=2019-02-02&tn=MyTable';

test('an account signature', async () => {
  const grant = { kind: 'accountSas', resourceTypes: 'sco', permission: 'rwdlacu' };
  assert.deepEqual(
    await attempt({ query: `${ACCOUNT_SAS}&sig=z8J6vZ%2BuQUEZqYJ3%2FHZnt3s%2BjlpxX8f%2FdXdj4ZR8cg0%3D` }),
    grant,
  );
  assert.deepEqual(await attempt({ query: `$top=1&${signed(ACCOUNT_SAS, ACCOUNT, OTHER_KEY)}` }), grant);
});

test('a table signature, with its range', async () => {
  const query = signed(`${TABLE_SAS}&sp=ra&se=2030-01-01&spk=a&srk=1&epk=b`);
  assert.deepEqual(await attempt({ query }), {
    kind: 'serviceSas',
    resource: 'MyTable',
    permission: 'ra',
    range: { from: { partition: 'a', key: '1' }, until: { partition: 'b\0', key: '' } },
  });
});

test('a signature over anything else is refused, with the string that was expected', async () => {
  const query = signed(`${TABLE_SAS}&sp=r&se=2030-01-01&spk=a`);
  const changes: readonly (readonly [string, string])[] = [
    ['sp=r', 'sp=raud'],
    ['spk=a', 'spk=A'],
    ['&spk=a', ''],
    ['tn=MyTable', 'tn=Other'],
    ['se=2030-01-01', 'se=2031-01-01'],
    ['sv=2019-02-02', 'sv=2019-02-03'],
  ];
  for (const [from, to] of changes) {
    assert.ok(query.includes(from), from);
    const error = await refusal({ query: query.replace(from, to) });
    assert.equal(error.code, 'AuthenticationFailed:Sas', to);
    assert.match(String(error.detail.detail), /^Signature did not match\. String to sign used was /);
  }
});

test('a signature holds from its start until its expiry', async () => {
  const minutes = (count: bigint) => new Date(Number((NOW + count * MINUTE) / 10_000n)).toISOString();
  const query = signed(`${TABLE_SAS}&sp=r&st=${minutes(-1n)}&se=${minutes(1n)}`);
  for (const now of [NOW - MINUTE, NOW, NOW + MINUTE - 1n]) assert.ok(await attempt({ query, now }));
  for (const now of [NOW - MINUTE - 1n, NOW + MINUTE]) {
    const error = await refusal({ query, now });
    assert.equal(error.code, 'AuthenticationFailed:Sas');
    assert.match(
      String(error.detail.detail),
      /^Signature not valid in the specified time frame: Start \[.* GMT\] - Expiry \[.* GMT\] - Current \[.* GMT\]$/,
    );
  }
});

test('expiry and permission must come from somewhere', async () => {
  assert.equal(
    (await refusal({ query: signed(`${TABLE_SAS}&sp=r`) })).detail.detail,
    'se is mandatory. Cannot be empty',
  );
  const withoutLetters = await refusal({ query: signed(`${TABLE_SAS}&se=2030-01-01`) });
  assert.equal(withoutLetters.detail.detail, 'sp is mandatory. Cannot be empty');
});

test('service, address and protocol, in this order', async () => {
  const code = async (fields: string, sent: Sent = {}) =>
    (await refusal({ ...sent, query: signed(`sv=2019-02-02&srt=o&sp=r&se=2030-01-01&${fields}`) })).code;
  assert.equal(await code('ss=bq&sip=10.0.0.1&spr=https'), 'AuthorizationServiceMismatch');
  assert.equal(await code('ss=t&sip=10.0.0.1&spr=https'), 'AuthorizationSourceIPMismatch');
  assert.equal(await code('ss=t&sip=127.0.0.1&spr=https'), 'AuthorizationProtocolMismatch');
  // What is not signed or not in time is refused as such, whatever else it lacks.
  assert.equal(await code('ss=bq', { now: NOW + 100_000_000n * MINUTE }), 'AuthenticationFailed:Sas');
  const query = signed(`${TABLE_SAS}&sp=r&se=2030-01-01&sip=10.0.0.1-10.0.0.9&spr=https`);
  assert.ok(await attempt({ query, secure: true, remoteAddress: '::ffff:10.0.0.9' }));
  const error = await refusal({ query, secure: true, remoteAddress: '10.0.0.10' });
  assert.equal(error.code, 'AuthorizationSourceIPMismatch');
  assert.equal(error.detail.address, '10.0.0.10');
});

test('over plain HTTP on this machine the published account alone may use what is for HTTPS', async () => {
  const over = async (accounts: Accounts, sent: Sent = {}, key = KEY) => {
    const query = signed(`${ACCOUNT_SAS}&spr=https`, sent.account ?? ACCOUNT, key);
    const table = signed(`${TABLE_SAS}&sp=r&se=2030-01-01&spr=https`, sent.account ?? ACCOUNT, key);
    const codes = [];
    for (const each of [query, table])
      codes.push(
        await attempt({ ...sent, query: each, accounts }).then(
          ({ kind }) => kind,
          error => String(error.code),
        ),
      );
    return codes.join(' ');
  };
  const refused = 'AuthorizationProtocolMismatch AuthorizationProtocolMismatch';
  for (const remoteAddress of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.equal(await over(ACCOUNTS, { remoteAddress }), 'accountSas serviceSas', remoteAddress);
  for (const remoteAddress of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])
    assert.equal(await over(ACCOUNTS, { remoteAddress }), refused, remoteAddress);
  assert.equal(await over(ACCOUNTS, { secure: true, remoteAddress: '10.0.0.1' }), 'accountSas serviceSas');
  assert.equal(await over(TWO_KEYS), refused, 'of two keys one is a secret');
  const own = new Accounts({ [ACCOUNT]: [OTHER_KEY.toString('base64')] });
  assert.equal(await over(own, {}, OTHER_KEY), refused, 'its name with a key that is a secret');
  const other = new Accounts({ other: [KEY.toString('base64')] });
  assert.equal(await over(other, { account: 'other' }), refused, 'another account with its key');
});

const ticks = (text: string) => BigInt(Date.parse(text)) * 10_000n;
const policy = (policy: SignedIdentifier['policy']): readonly SignedIdentifier[] => [
  { id: 'other', policy: { expiry: 0n, permission: 'd' } },
  { id: 'pol1', policy },
];

test('a policy fills what the signature leaves open', async () => {
  const grant = { kind: 'serviceSas', resource: 'MyTable', permission: 'r', range: undefined };
  const whole = policy({ start: ticks('2020-01-01'), expiry: ticks('2030-01-01'), permission: 'r' });
  const cases: readonly (readonly [string, readonly SignedIdentifier[]])[] = [
    ['', whole],
    ['&sp=r', policy({ expiry: ticks('2030-01-01') })],
    ['&se=2030-01-01', policy({ permission: 'r' })],
    ['&sp=r&se=2030-01-01', policy(undefined)],
    ['&st=2020-01-01', policy({ expiry: ticks('2030-01-01'), permission: 'r' })],
  ];
  for (const [fields, policies] of cases) {
    assert.deepEqual(
      await attempt({ query: signed(`${TABLE_SAS}&si=pol1${fields}`), policies }),
      grant,
      fields,
    );
  }
  assert.ok(
    await attempt({
      query: `${TABLE_SAS}&si=pol1&sig=axYq4ImqDamyfi65Fs65/r9XSVgqfDrgjxTtJMr2hPA%3D`,
      policies: whole,
    }),
  );
});

test('a field in both signature and policy is refused', async () => {
  const detail = 'Access policy fields can be associated with signature or SAS identifier but not both';
  const cases: readonly (readonly [string, SignedIdentifier['policy']])[] = [
    ['&st=2020-01-01', { start: ticks('2020-01-01'), expiry: ticks('2030-01-01'), permission: 'r' }],
    ['&se=2030-01-01', { expiry: ticks('2030-01-01'), permission: 'r' }],
    ['&sp=r', { expiry: ticks('2030-01-01'), permission: 'r' }],
  ];
  for (const [fields, fieldsOfPolicy] of cases) {
    const error = await refusal({
      query: signed(`${TABLE_SAS}&si=pol1${fields}`),
      policies: policy(fieldsOfPolicy),
    });
    assert.equal(error.code, 'AuthenticationFailed:Sas');
    assert.equal(error.detail.detail, detail);
  }
});

test('what the policy leaves open too, and when its time is over', async () => {
  const query = signed(`${TABLE_SAS}&si=pol1`);
  const cases: readonly (readonly [SignedIdentifier['policy'], RegExp])[] = [
    [undefined, /^se is mandatory/],
    [{ expiry: ticks('2030-01-01') }, /^sp is mandatory/],
    [{ permission: 'r' }, /^se is mandatory/],
    [
      { expiry: ticks('2020-01-01'), permission: 'r' },
      /^Signed expiry time \[Wed, 01 Jan 2020 00:00:00 GMT\] must be after signed start time \[Mon, 27 Jul 2020 12:28:53 GMT\]$/,
    ],
    [{ start: ticks('2021-01-01'), expiry: ticks('2030-01-01'), permission: 'r' }, /^Signature not valid/],
  ];
  for (const [fields, detail] of cases) {
    const error = await refusal({ query, policies: policy(fields) });
    assert.equal(error.code, 'AuthenticationFailed:Sas');
    assert.match(String(error.detail.detail), detail);
  }
});

test('a policy that was revoked and a table that is not there look alike', async () => {
  const detail = 'SAS identifier cannot be found for specified signed identifier';
  const revoked = await refusal({ query: signed(`${TABLE_SAS}&si=gone`), policies: policy(undefined) });
  const missing = await refusal({
    query: signed('sv=2019-02-02&tn=Other&si=pol1'),
    policies: policy(undefined),
  });
  for (const error of [revoked, missing]) {
    assert.equal(error.code, 'AuthenticationFailed:Sas');
    assert.equal(error.detail.detail, detail);
  }
});

test('policies are not looked up for a signature that is wrong', async () => {
  const query = signed(`${TABLE_SAS}&si=gone`, ACCOUNT, Buffer.from('wrong'));
  assert.match(String((await refusal({ query })).detail.detail), /^Signature did not match/);
});

test('the header counts before the query', async () => {
  const headers = { 'x-ms-date': DATE, authorization: lite(`/${ACCOUNT}/Tables`) };
  assert.deepEqual(await attempt({ headers, query: signed(ACCOUNT_SAS) }), OWNER);
  const wrong = { 'x-ms-date': DATE, authorization: `SharedKeyLite ${ACCOUNT}:x` };
  assert.equal((await refusal({ headers: wrong, query: signed(ACCOUNT_SAS) })).code, 'AuthenticationFailed');
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
  const known = new SignedTokens(TABLE_SAS_FIELDS);
  const query = signed(`${ACCOUNT_SAS}&sip=10.0.0.1`);
  const caller = { query, signed: known, remoteAddress: '10.0.0.1' };
  await attempt(caller);
  await attempt(caller);
  assert.equal(known.size, 1);
  const late = await refusal({ ...caller, now: BigInt(Date.parse('2030-07-27')) * 10_000n });
  assert.equal(late.code, 'AuthenticationFailed:Sas');
  assert.equal(
    (await refusal({ ...caller, remoteAddress: '10.0.0.2' })).code,
    'AuthorizationSourceIPMismatch',
  );
  const raised = query.replace('sp=rwdlacu', 'sp=rwdlacup');
  assert.equal((await refusal({ ...caller, query: raised })).code, 'AuthenticationFailed:Sas');
  assert.equal((await refusal({ ...caller, account: 'another' })).code, 'AuthenticationFailed:Sas');
  assert.equal(known.size, 1, 'nothing that was refused is remembered');
});
