// Accounts from a configuration: what is accepted, what is refused with which sentence, and how keys are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './accounts.js';

test('accounts with one key or two', () => {
  const accounts = new Accounts({ alice: ['AQID', 'BAUG'], bob2: ['Bw=='] });
  assert.deepEqual(accounts.names, ['alice', 'bob2']);
  assert.deepEqual(accounts.keys('alice'), [Buffer.of(1, 2, 3), Buffer.of(4, 5, 6)]);
  assert.equal(accounts.keyText('alice'), 'AQID');
  assert.equal(accounts.has('bob2'), true);
});

test('an account that there is not has no keys, whatever its name', () => {
  const accounts = new Accounts({ alice: ['AQID'] });
  for (const name of ['bob', 'Alice', '', '__proto__', 'constructor', 'toString']) {
    assert.equal(accounts.has(name), false, name);
    assert.deepEqual(accounts.keys(name), [], name);
    assert.equal(accounts.keyText(name), undefined, name);
  }
});

test('whether the well-known key is among them, under any name and in any place', () => {
  assert.equal(new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }).hasWellKnownKey, true);
  assert.equal(new Accounts({ alice: ['AQID', WELL_KNOWN_KEY] }).hasWellKnownKey, true);
  assert.equal(new Accounts({ [WELL_KNOWN_ACCOUNT]: ['AQID'] }).hasWellKnownKey, false);
});

test('settings that make no sense', () => {
  const name = (text: string) => `The account name '${text}' must be 3 to 24 lower-case letters and digits.`;
  const cases: readonly (readonly [AccountKeys, string])[] = [
    [{}, 'No account is configured.'],
    [{ alice: [] }, "The account 'alice' has no key."],
    [{ ab: ['AQID'] }, name('ab')],
    [{ Alice: ['AQID'] }, name('Alice')],
    [{ 'my-account': ['AQID'] }, name('my-account')],
    [{ ['a'.repeat(25)]: ['AQID'] }, name('a'.repeat(25))],
    ...['', 'A', 'AQ', 'AQ=', 'A-_B', 'AQID ', 'no base64'].map(
      key => [{ alice: ['AQID', key] }, "A key of the account 'alice' is no base64."] as const,
    ),
  ];
  for (const [keys, message] of cases)
    assert.throws(() => new Accounts(keys), { name: 'ConfigurationError', message });
  for (const good of ['abc', 'a'.repeat(24), '123']) assert.ok(new Accounts({ [good]: ['AQID'] }).has(good));
  assert.ok(new ConfigurationError('x') instanceof Error);
});

test('no message holds a key', () => {
  for (const keys of [{ Alice: ['c2VjcmV0'] }, { alice: ['c2VjcmV0', 'c2VjcmV0!'] }])
    assert.throws(
      () => new Accounts(keys),
      (error: unknown) => !String(error).includes('c2VjcmV0'),
    );
});

test('accounts as Azurite takes them from the environment', () => {
  const cases: readonly (readonly [string, AccountKeys])[] = [
    ['', {}],
    [' ; ;', {}],
    ['alice:AQID', { alice: ['AQID'] }],
    ['alice:AQID:BAUG;bob:Bw==', { alice: ['AQID', 'BAUG'], bob: ['Bw=='] }],
    [' alice:AQID ; bob:Bw== ;', { alice: ['AQID'], bob: ['Bw=='] }],
    ['alice', { alice: [] }],
    ['alice:', { alice: [''] }],
    [':AQID', { '': ['AQID'] }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(parseAccounts(text), expected, text);
});
