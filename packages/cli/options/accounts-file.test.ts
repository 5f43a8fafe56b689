// A file of accounts while it changes: what is read, when, and the report on an invalid file.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import type { AccountKeys } from '#server';
import { AccountsFile } from './accounts-file.js';

const PERIOD = 20;

interface Watched {
  readonly path: string;
  readonly taken: AccountKeys[];
  readonly said: string[];
  write(text: string): void;
  /** Resolves once this many messages were logged. */
  saidSoMuch(count: number): Promise<void>;
}

function watch(t: TestContext, take?: (accounts: AccountKeys) => Promise<void>): Watched {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-accounts-'));
  const path = join(directory, 'accounts');
  writeFileSync(path, 'alice:AQID');
  const file = new AccountsFile(path);
  assert.deepEqual(file.read(), { alice: ['AQID'] });
  const [taken, said]: [AccountKeys[], string[]] = [[], []];
  const stop = file.watch(
    async accounts => {
      await take?.(accounts);
      taken.push(accounts);
    },
    text => said.push(text),
    PERIOD,
  );
  t.after(() => {
    stop();
    rmSync(directory, { recursive: true });
  });
  const saidSoMuch = async (count: number): Promise<void> => {
    await until(`${count} messages`, () => said.length >= count);
    assert.equal(said.length, count, said.join('\n'));
  };
  return { path, taken, said, write: text => writeFileSync(path, text), saidSoMuch };
}

test('a changed file is applied, written in place or renamed; an unchanged one is not', async t => {
  const { path, taken, said, write, saidSoMuch } = watch(t);
  write('alice:BAUG');
  await saidSoMuch(1);
  writeFileSync(`${path}.new`, 'alice:BAUG:AQID;bob:Bw==');
  renameSync(`${path}.new`, path);
  await saidSoMuch(2);
  await new Promise(resolve => setTimeout(resolve, 5 * PERIOD));
  assert.deepEqual(taken, [{ alice: ['BAUG'] }, { alice: ['BAUG', 'AQID'], bob: ['Bw=='] }]);
  assert.deepEqual(said, [
    `the accounts of ${path} hold now: alice with one key.`,
    `the accounts of ${path} hold now: alice with 2 keys, bob with one key.`,
  ]);
});

test('SIGHUP applies the file at once, each time', async t => {
  let underWay = 0;
  const { taken, write, saidSoMuch } = watch(t, async () => {
    underWay += 1;
    assert.equal(underWay, 1);
    await new Promise(resolve => setTimeout(resolve, 5));
    underWay -= 1;
  });
  write('alice:BAUG');
  for (let i = 0; i < 3; i++) process.emit('SIGHUP');
  await saidSoMuch(3);
  assert.deepEqual(taken, Array(3).fill({ alice: ['BAUG'] }));
});

test('an invalid or refused file is reported once and not applied', async t => {
  const { path, taken, said, write, saidSoMuch } = watch(t, async accounts => {
    if (accounts.eve) throw new Error('Not her.');
  });
  write('# nobody\n');
  await saidSoMuch(1);
  write('alice:AQID\nalice:BAUG');
  await saidSoMuch(2);
  write('eve:AQID');
  await saidSoMuch(3);
  rmSync(path);
  process.emit('SIGHUP');
  await saidSoMuch(4);
  await new Promise(resolve => setTimeout(resolve, 5 * PERIOD));
  assert.deepEqual(taken, []);
  const reasons = [/There is no account in/, /The account 'alice' is given twice\./, /Not her\./, /ENOENT/];
  for (const [i, reason] of reasons.entries()) {
    assert.match(said[i] ?? '', reason);
    assert.match(said[i] ?? '', /was not taken, and the accounts stay as they were: /);
  }
  assert.equal(said.length, 4);
});
