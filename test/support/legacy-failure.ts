// The errors of the legacy clients.
import assert from 'node:assert/strict';

export const fails = (promise: Promise<unknown>, statusCode: number, code: string): Promise<void> =>
  assert.rejects(promise, (error: unknown) => {
    assert(error instanceof Error && 'code' in error && 'statusCode' in error);
    assert.deepEqual([error.statusCode, error.code], [statusCode, code]);
    return true;
  });
