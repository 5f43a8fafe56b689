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
  assert.deepEqual(accounts.keys.get('alice'), [Buffer.of(1, 2, 3), Buffer.of(4, 5, 6)]);
  assert.equal(accounts.keyText('alice'), 'AQID');
  assert.equal(accounts.keys.has('bob2'), true);
});

test('an account that there is not has no keys, whatever its name', () => {
  const accounts = new Accounts({ alice: ['AQID'] });
  for (const name of ['bob', 'Alice', '', '__proto__', 'constructor', 'toString'])
    assert.deepEqual(
      [accounts.keys.has(name), accounts.keys.get(name), accounts.keyText(name)],
      [false, undefined, undefined],
      name,
    );
});

test('whether the well-known key is among them, under any name and in any place', () => {
  for (const [keys, isThere] of [
    [{ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }, true],
    [{ alice: ['AQID', WELL_KNOWN_KEY] }, true],
    [{ [WELL_KNOWN_ACCOUNT]: ['AQID'] }, false],
  ] as const)
    assert.equal(new Accounts(keys).hasWellKnownKey, isThere);
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
    [{ alice: ['AQID', 'BAUG', 'Bw=='] }, "The account 'alice' has 3 keys; it may have 2."],
    ...['', 'A', 'AQ', 'AQ=', 'A-_B', 'AQID ', 'no base64'].map(
      key => [{ alice: ['AQID', key] }, "A key of the account 'alice' is not base64."] as const,
    ),
  ];
  for (const [keys, message] of cases)
    assert.throws(() => new Accounts(keys), { name: 'ConfigurationError', message });
  for (const good of ['abc', 'a'.repeat(24), '123'])
    assert.ok(new Accounts({ [good]: ['AQID'] }).keys.has(good));
  assert.ok(new ConfigurationError('x') instanceof Error);
});

test('no message holds a key, also where it stands in the place of a name', () => {
  const key = Buffer.from('secret of sixty-four bytes'.padEnd(64, '!')).toString('base64');
  const short = Buffer.from('sixteen  secrets').toString('base64');
  const texts = [
    `Alice:${key}`,
    `alice:${key}:${key}!`,
    `alice:${key}:${key}:${key}`,
    `alice=${key}`,
    `${key}:alice`,
    `${key};${key}`,
    `${short}:alice`,
    `alice:${key};alice:${key}`,
  ];
  for (const text of texts)
    assert.throws(
      () => new Accounts(parseAccounts(text)),
      (error: unknown) =>
        error instanceof ConfigurationError && !error.message.includes(key) && !error.message.includes(short),
      text,
    );
});

test('a message names what may be an account, and of what is longer its place', () => {
  for (const [name, message] of [
    ['A'.repeat(25), /^The account name 'A{25}' must/],
    ['A'.repeat(26), /^The account name at place 1 must/],
    ['A=', /^The account name at place 1 must/],
  ] as const)
    assert.throws(() => new Accounts({ [name]: ['A'] }), { name: 'ConfigurationError', message });
});

test('replaced accounts are the only ones; what makes no sense replaces nothing', () => {
  const accounts = new Accounts({ alice: ['AQID', 'BAUG'], bob: ['Bw=='] });
  accounts.replace({ alice: ['BAUG'], carol: ['CA=='] });
  assert.deepEqual(
    [accounts.names, accounts.keyText('alice'), accounts.keys.has('bob')],
    [['alice', 'carol'], 'BAUG', false],
  );
  assert.deepEqual(accounts.keys.get('alice'), [Buffer.of(4, 5, 6)]);
  assert.equal(accounts.keys.get('bob'), undefined);
  for (const wrong of [{}, { alice: [] }, { alice: ['AQID'], Bob: ['AQID'] }, { alice: ['A'] }]) {
    assert.throws(() => accounts.replace(wrong), { name: 'ConfigurationError' });
    assert.deepEqual([accounts.names, accounts.keyText('alice')], [['alice', 'carol'], 'BAUG']);
  }
});

test('accounts as a file has them: a line each, with remarks', () => {
  const text = '# of the shop\nalice:AQID:BAUG\r\n\n  # bob:AQID\nbob:Bw==;carol:CA==\n';
  assert.deepEqual(parseAccounts(text), { alice: ['AQID', 'BAUG'], bob: ['Bw=='], carol: ['CA=='] });
  assert.throws(() => parseAccounts('alice:AQID\nalice:BAUG'), {
    name: 'ConfigurationError',
    message: "The account 'alice' is given twice.",
  });
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
