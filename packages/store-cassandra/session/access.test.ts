// What is read from the environment and from files before the cluster is contacted, and what is refused by then.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { readAccess } from './access.js';

const NAMES = [
  'SHELFMARK_CASSANDRA_USER',
  'SHELFMARK_CASSANDRA_PASSWORD',
  'SHELFMARK_CASSANDRA_PASSWORD_FILE',
] as const;

describe('access', () => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-access-'));
  const fileOf = (text: string): string => {
    const file = join(directory, 'file');
    writeFileSync(file, text);
    return file;
  };
  const given = (...values: readonly string[]) => {
    NAMES.forEach((name, i) => {
      process.env[name] = values[i] ?? '';
    });
    return readAccess(undefined).credentials;
  };
  afterEach(() => {
    for (const name of NAMES) delete process.env[name];
  });
  after(() => rmSync(directory, { recursive: true }));

  test('access: nothing is presented unless given; an empty value counts as absent', () => {
    assert.deepEqual(readAccess(undefined), { credentials: undefined, certificates: undefined });
    assert.equal(given('', '', ''), undefined);
  });

  test('access: a password, or its file without the line feed at its end', () => {
    assert.deepEqual(given('u', 'p '), { user: 'u', password: 'p ' });
    for (const [text, password] of [
      ['secret', 'secret'],
      ['secret\n', 'secret'],
      ['secret\r\n', 'secret'],
      [' se cret \n\n', ' se cret \n'],
    ] as const)
      assert.deepEqual(given('u', '', fileOf(text)), { user: 'u', password });
  });

  test('access: variables that contradict each other, and a file that has no password', () => {
    const faulty: readonly (readonly [readonly string[], RegExp])[] = [
      [['u'], /^SHELFMARK_CASSANDRA_USER goes together with/],
      [['', 'secret'], /^SHELFMARK_CASSANDRA_USER goes together with/],
      [['', '', fileOf('secret')], /^SHELFMARK_CASSANDRA_USER goes together with/],
      [['u', 'secret', fileOf('secret')], /both say the password/],
      [['u', '', join(directory, 'none')], /PASSWORD_FILE names a file that cannot be read: ENOENT/],
      [['u', '', directory], /PASSWORD_FILE names a file that cannot be read: EISDIR/],
    ];
    for (const [values, message] of faulty)
      assert.throws(() => given(...values), { name: 'StoreError', code: 'unsupported', message });
    assert.throws(() => given('u', '', fileOf('\n')), { message: /names an empty file/ });
  });

  test('access: files that cannot be read, or are no certificates', () => {
    const none = join(directory, 'none');
    const files = { ca: undefined, cert: undefined, key: undefined };
    const faulty = [
      [{ ...files, ca: none }, /^ca names a file that cannot be read: ENOENT/],
      [{ ...files, cert: none, key: none }, /^cert names a file that cannot be read: ENOENT/],
      [{ ...files, ca: fileOf('nothing') }, /^No certificate in PEM is in .*file/],
      [{ ...files, cert: fileOf('x'), key: fileOf('x') }, /^No certificates and keys in PEM are in/],
    ] as const;
    for (const [tls, message] of faulty)
      assert.throws(() => readAccess(tls), { name: 'StoreError', code: 'unsupported', message });
  });
});
