// Lists of blobs through the package's entry point, against the names themselves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListPosition, OperationOf } from '../operation.js';
import {
  CONTAINER,
  openContainer,
  outcomeOf,
  putBlob,
  type TestAccount,
  takeSnapshot,
} from '../testing/account.js';
import { BEHIND_SNAPSHOTS, behindAll } from './list-blobs.js';

const LIST: OperationOf<'listBlobs'> = {
  kind: 'listBlobs',
  container: CONTAINER,
  prefix: '',
  delimiter: '',
  from: undefined,
  top: 5000,
  snapshots: false,
  uncommitted: false,
};

async function page({ run }: TestAccount, asked: Partial<OperationOf<'listBlobs'>>) {
  const { entries, next } = await outcomeOf('blobs', run({ ...LIST, ...asked }));
  const names = entries.map(each =>
    each.kind === 'prefix'
      ? `${each.name}*`
      : each.kind === 'blob' && each.blob.snapshot
        ? `${each.name}@`
        : each.name,
  );
  return { names, next };
}

/** All entries, in pages of that size. */
async function pages(
  account: TestAccount,
  asked: Partial<OperationOf<'listBlobs'>>,
  top: number,
): Promise<string[]> {
  const all: string[] = [];
  let from: ListPosition | undefined;
  do {
    const { names, next } = await page(account, { ...asked, from, top });
    assert.ok(names.length <= top);
    all.push(...names);
    from = next;
  } while (from);
  return all;
}

const NAMES = [
  'a',
  'a/',
  'a/b',
  'a/b/c',
  'a/b/d',
  'a0',
  'b/1',
  'b/2',
  'b/3',
  'é',
  '\ud83d\ude00',
  '\uffff',
  '\uffffz',
];

test('the first text behind a prefix', () => {
  assert.equal(behindAll('ab'), 'ac');
  assert.equal(behindAll('a\uffff'), 'b');
  assert.equal(behindAll('\uffff\uffff'), undefined);
  assert.equal(behindAll(''), undefined);
});

test('names come in the order of their code units, by prefix and delimiter, in pages of any size', async () => {
  const account = await openContainer();
  for (const name of [...NAMES].reverse()) await putBlob(account, name, 'x');
  for (let i = 0; i < 50; i++) await putBlob(account, `a/b/many${i}`, 'x');
  const all = [...NAMES, ...Array.from({ length: 50 }, (_, i) => `a/b/many${i}`)].sort();
  for (const top of [1, 2, 7, 5000])
    for (const [prefix, delimiter] of [
      ['', ''],
      ['a', ''],
      ['a/', ''],
      ['', '/'],
      ['a', '/'],
      ['a/', '/'],
      ['a/b', '/'],
      ['', 'b/'],
      ['\uffff', ''],
      ['none', '/'],
    ] as const) {
      const expected = all
        .filter(name => name.startsWith(prefix))
        .map(name => {
          const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
          return at < 0 ? name : `${name.slice(0, at + delimiter.length)}*`;
        })
        .filter((name, at, names) => names.indexOf(name) === at);
      assert.deepEqual(
        await pages(account, { prefix, delimiter }, top),
        expected,
        `${prefix} ${delimiter} ${top}`,
      );
    }
});

test('snapshots come before their blob, if they are asked for', async () => {
  const account = await openContainer();
  for (const name of ['a', 'b', 'c']) await putBlob(account, name, 'x');
  for (let i = 0; i < 40; i++) await takeSnapshot(account, 'b');
  const expected = ['a', ...Array.from({ length: 40 }, () => 'b@'), 'b', 'c'];
  for (const top of [1, 3, 100]) {
    assert.deepEqual(await pages(account, { snapshots: true }, top), expected);
    assert.deepEqual(await pages(account, {}, top), ['a', 'b', 'c']);
  }
  const { next } = await page(account, { snapshots: true, top: 41 });
  assert.deepEqual(next, { blob: 'b', snapshot: BEHIND_SNAPSHOTS });
});
