// An assertion on errors of the pattern library, by their code and some of their details.

import assert from 'node:assert/strict';
import { PatternError, type PatternErrorCode } from '#patterns';
import type { PatternErrorDetails } from '#patterns/internals';

export function rejects<C extends PatternErrorCode>(
  promise: Promise<unknown> | (() => Promise<unknown>),
  code: C,
  detail: Partial<PatternErrorDetails[C]> = {},
): Promise<void> {
  return assert.rejects(promise, (thrown: unknown) => {
    if (!PatternError.is(thrown, code)) throw thrown;
    assert.deepEqual({ ...thrown.detail, ...detail }, thrown.detail);
    return true;
  });
}
