// Which LMDB failure becomes which store failure; a bug stays what it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '#store';
import { commitError, EngineError, engineError, keepCommitError } from './engine-error.js';

function failureOfLmdb(code: number): Error {
  return Object.assign(new Error('what LMDB says'), { code });
}

test('codes of LMDB and of the system', () => {
  const cases = [
    [28, 'full'],
    [27, 'full'],
    [122, 'full'],
    [-30792, 'full'],
    [-30796, 'corrupt'],
    [-30793, 'corrupt'],
    [-30794, 'unsupported'],
    [-30795, 'closed'],
    [5, 'busy'],
    [-30790, 'busy'],
  ] as const;
  for (const [code, expected] of cases) {
    const cause = failureOfLmdb(code);
    const error = engineError(cause, '/place');
    assert(error instanceof EngineError);
    assert.deepEqual(
      [error.name, error.code, error.message],
      ['StoreError', expected, '/place: what LMDB says'],
    );
    assert.equal(error.cause, cause);
  }
});

test('a bug, and an error with a code of another kind, stay as they are', () => {
  const errors = [
    new TypeError('bug'),
    Object.assign(new Error('other'), { code: 'EACCES' }),
    'text',
    undefined,
  ];
  for (const error of errors) assert.equal(engineError(error, '/place'), error);
  const own = new StoreError('corrupt', 'mine');
  assert.equal(engineError(own, '/place'), own);
});

test('the reason of a failed commit is the one that LMDB reports with it, read in a later turn', async () => {
  const commitFailed = new Error('Commit failed (see commitError for details)');
  const reason = Promise.reject(failureOfLmdb(28));
  keepCommitError(Object.assign(commitFailed, { commitError: reason }));
  // Without a handler the test runner, like any process, fails here.
  await nextTurn();
  const error = await commitError(commitFailed, '/place');
  assert(error instanceof EngineError && error.code === 'full');
  keepCommitError('no error of LMDB');
  assert.equal(await commitError('no error of LMDB', '/place'), 'no error of LMDB');
});
