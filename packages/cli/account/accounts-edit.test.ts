// Changes of a file of accounts: the result, what is preserved, and what is refused.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExitName, ToolError } from '#data-tools';
import { accountsIn, addAccount, newKey, removeAccount, rotateKey } from './accounts-edit.js';

function fileWith(t: TestContext, text?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-accounts-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'accounts');
  if (text !== undefined) writeFileSync(path, text, { mode: 0o640 });
  return path;
}

const refuses = (work: () => void, exit: ExitName, message: RegExp): void => {
  assert.throws(
    work,
    error => error instanceof ToolError && error.exit === exit && message.test(error.message),
  );
};

test('an account is added to a file, or to a new one that only its owner may read', t => {
  const path = fileWith(t);
  addAccount(path, 'shop', 'AQID');
  assert.equal(readFileSync(path, 'utf8'), 'shop:AQID\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  addAccount(path, 'bob', newKey());
  assert.deepEqual(Object.keys(accountsIn(path)), ['shop', 'bob']);
  assert.equal(Buffer.from(accountsIn(path).bob?.[0] ?? '', 'base64').length, 64);
  assert.deepEqual(readdirSync(join(path, '..')), ['accounts']);
});

test('a change keeps comments, other accounts and the mode', t => {
  const path = fileWith(t, '# ours\n alice:AQID ;bob:BAUG\n\n# theirs\ncarol:Bw==');
  rotateKey(path, 'alice', 'CAgI', false);
  assert.equal(readFileSync(path, 'utf8'), '# ours\nalice:CAgI:AQID;bob:BAUG\n\n# theirs\ncarol:Bw==');
  rotateKey(path, 'alice', 'CQkJ', false);
  assert.deepEqual(accountsIn(path).alice, ['CQkJ', 'CAgI']);
  rotateKey(path, 'alice', 'CgoK', true);
  assert.deepEqual(accountsIn(path).alice, ['CgoK']);
  removeAccount(path, 'bob');
  removeAccount(path, 'carol');
  assert.equal(readFileSync(path, 'utf8'), '# ours\nalice:CgoK\n\n# theirs');
  addAccount(path, 'dora', 'AQID');
  assert.equal(readFileSync(path, 'utf8'), '# ours\nalice:CgoK\n\n# theirs\ndora:AQID\n');
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('what a server would refuse is refused, and the file stays as it is', t => {
  const path = fileWith(t, 'alice:AQID\n');
  refuses(() => addAccount(path, 'alice', 'AQID'), 'conflict', /has an account alice already/);
  refuses(() => addAccount(path, 'Al', 'AQID'), 'usage', /3 to 24 lower-case letters/);
  refuses(() => addAccount(path, 'bob', 'no key'), 'usage', /is not base64/);
  refuses(() => removeAccount(path, 'alice'), 'conflict', /the last account/);
  refuses(() => removeAccount(path, 'bob'), 'notThere', /has no account bob/);
  refuses(() => rotateKey(path, 'bob', 'AQID', false), 'notThere', /has no account bob/);
  assert.equal(readFileSync(path, 'utf8'), 'alice:AQID\n');
  refuses(() => accountsIn(`${path}.missing`), 'notThere', /There is no file/);
  refuses(() => accountsIn(join(path, '..')), 'usage', /is a folder/);
  refuses(() => accountsIn(fileWith(t, 'alice:no key\n')), 'usage', /is not base64/);
  refuses(
    () => addAccount(join(path, '..', 'none', 'accounts'), 'bob', 'AQID'),
    'notThere',
    /its folder is not there/,
  );
  writeFileSync(`${path}.new`, '');
  refuses(() => addAccount(path, 'bob', 'AQID'), 'conflict', /another command is changing/);
});
