// Creates directories, and fails with the system's error where there can be none.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeDirectory } from './directory.js';

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-make-directory-'));
after(() => rmSync(directory, { recursive: true }));

const codeOf = (path: string): unknown => {
  try {
    return makeDirectory(path);
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

test('a directory is created with its parents, and the first missing one is returned', () => {
  const deep = join(directory, 'a', 'b', 'c');
  assert.equal(makeDirectory(deep), join(directory, 'a'));
  assert.equal(makeDirectory(deep), undefined);
  assert.equal(makeDirectory(join(deep, '..', 'd')), join(directory, 'a', 'b', 'd'));
});

test('a path through something other than a directory fails', () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  symlinkSync(join(directory, 'nowhere'), join(directory, 'link'));
  assert.equal(codeOf(file), 'EEXIST');
  assert.equal(codeOf(join(file, 'below')), 'ENOTDIR');
  assert.equal(codeOf(join(directory, 'link')), 'EEXIST');
  assert.equal(codeOf(join(directory, 'link', 'below')), 'ENOENT');
});

test('a file system that accepts no directories fails at once', { skip: !existsSync('/proc/self') }, () => {
  assert.equal(codeOf('/proc/x'), 'ENOENT');
  assert.equal(codeOf('/proc/x/y'), 'ENOENT');
});
