// User delegation keys: one that was given away signs what its holder may do, and no field of it can be changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceSas } from '#wire';
import { Accounts } from '../../auth/accounts.js';
import type { Grant } from '../../auth/grant.js';
import type { Role } from '../../auth/roles.js';
import { ACCOUNT, NOW } from '../../testing/service.js';
import { delegationKeys, userDelegationKey, withinRoles } from './user-delegation.js';

const KEY = Buffer.alloc(64, 'key').toString('base64');
const OTHER_KEY = Buffer.alloc(64, 'other').toString('base64');
const ACCOUNTS = new Accounts({ [ACCOUNT]: [KEY, OTHER_KEY] });
const ACCOUNT_KEYS = [Buffer.from(KEY, 'base64'), Buffer.from(OTHER_KEY, 'base64')];

const keyInfo = (start: string, expiry: string): Buffer =>
  Buffer.from(`<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry></KeyInfo>`);
const WEEK = keyInfo('2020-01-01T01:02:00Z', '2020-01-08T01:02:00Z');

const bearer = (...roles: readonly Role[]): Grant => ({ kind: 'bearer', roles }) as unknown as Grant;

const keyOf = (grant: Grant, body = WEEK, account = ACCOUNT) => {
  const answer = userDelegationKey(ACCOUNTS, grant, { account, body, version: '2026-04-06', now: NOW });
  const text = String(answer.body);
  return (element: string) => new RegExp(`<${element}>([^<]*)</${element}>`).exec(text)?.[1] ?? '';
};

/** The fields of a signature of the key that was answered. */
function fieldsOf(...roles: readonly Role[]): {
  readonly query: Map<string, string>;
  readonly value: string;
} {
  const field = keyOf(bearer(...roles));
  const query = new Map([
    ['skoid', field('SignedOid')],
    ['sktid', field('SignedTid')],
    ['skt', field('SignedStart')],
    ['ske', field('SignedExpiry')],
    ['sks', field('SignedService')],
    ['skv', field('SignedVersion')],
  ]);
  return { query, value: field('Value') };
}

const letters = (query: ReadonlyMap<string, string>, permission: string): string | undefined =>
  withinRoles({ permission } as ServiceSas, query).permission;

test('a key that was given away is found again from its fields', () => {
  const { query, value } = fieldsOf('Storage Blob Data Reader');
  const [first, second] = delegationKeys(query, ACCOUNT_KEYS);
  assert.equal(first?.toString('base64'), value);
  assert.notEqual(second?.toString('base64'), value);
});

test('with any field changed it is another key', () => {
  const { query, value } = fieldsOf('Storage Blob Data Reader');
  for (const name of query.keys())
    for (const changed of ['', 'x', `${query.get(name)}0`, `${query.get(name)}\n`]) {
      const [key] = delegationKeys(new Map([...query, [name, changed]]), ACCOUNT_KEYS);
      assert.notEqual(key?.toString('base64'), value, `${name} ${changed}`);
    }
  const owner = fieldsOf('Storage Blob Data Owner');
  assert.notEqual(owner.query.get('skoid'), query.get('skoid'));
  assert.notEqual(owner.value, value);
});

test("a signature of the account's own key is left as it is", () => {
  assert.equal(delegationKeys(new Map(), ACCOUNT_KEYS), ACCOUNT_KEYS);
  assert.equal(letters(new Map(), 'racwd'), 'racwd');
});

test('a key grants no more than the roles of who got it', () => {
  const grants = (role: Role) => letters(fieldsOf(role).query, 'racwdxylmetfiop');
  assert.equal(grants('Storage Blob Data Reader'), 'rle');
  assert.equal(grants('Storage Blob Data Contributor'), 'racwdxylme');
  assert.equal(grants('Storage Blob Data Owner'), 'racwdxylmetf');
  assert.equal(grants('Storage Blob Delegator'), '-');
  const both = fieldsOf('Storage Blob Delegator', 'Storage Blob Data Reader').query;
  assert.equal(letters(both, 'rw'), 'r');
  assert.equal(letters(fieldsOf('Storage Blob Data Reader').query, 'w'), '-');
  for (const skoid of ['', 'x', '5be1f0aa-0000-4000-8000-0000000000zz', 'ff'])
    assert.equal(letters(new Map([['skoid', skoid]]), 'racwd'), '-', skoid);
});

test('keys are for bearer tokens', () => {
  for (const grant of [{ kind: 'owner' }, { kind: 'anonymous' }] as const)
    assert.throws(() => keyOf(grant), { code: 'AuthenticationFailed' });
  assert.throws(() => keyOf(bearer('Storage Blob Delegator'), WEEK, 'nobody'), {
    code: 'AuthenticationFailed',
  });
});

test('none is for users of another tenant, whose tokens nobody here could read', () => {
  const [start, expiry] = ['2020-01-01T01:02:00Z', '2020-01-02T00:00:00Z'];
  const tenant = '<DelegatedUserTid>00000000-0000-0000-0000-000000000000</DelegatedUserTid>';
  const body = `<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry>${tenant}</KeyInfo>`;
  assert.throws(() => keyOf(bearer('Storage Blob Delegator'), Buffer.from(body)), {
    code: 'AuthenticationFailed',
  });
});

test('for at most seven days from now', () => {
  const asked = (start: string, expiry: string) => () =>
    keyOf(bearer('Storage Blob Delegator'), keyInfo(start, expiry));
  const now = '2020-01-01T01:02:00Z';
  assert.equal(
    asked('2019-01-01T00:00:00Z', '2020-01-08T01:02:00Z')()('SignedExpiry'),
    '2020-01-08T01:02:00Z',
  );
  for (const [start, expiry] of [
    [now, '2020-01-08T01:02:01Z'],
    [now, now],
    ['2019-01-01T00:00:00Z', '2019-12-31T00:00:00Z'],
    ['2020-01-03T00:00:00Z', '2020-01-02T00:00:00Z'],
    ['2020-01-09T00:00:00Z', '2020-01-10T00:00:00Z'],
    ['x', '2020-01-02T00:00:00Z'],
    [now, 'x'],
    [now, ''],
  ] as const)
    assert.throws(asked(start, expiry), { code: 'InvalidXmlNodeValue' }, `${start} ${expiry}`);
  for (const text of [
    '',
    'x',
    '<Other/>',
    '<KeyInfo/>',
    '<KeyInfo><Start>2020-01-01T01:02:00Z</Start></KeyInfo>',
  ])
    assert.throws(
      () => keyOf(bearer('Storage Blob Delegator'), Buffer.from(text)),
      { code: 'InvalidXmlDocument' },
      text,
    );
});
