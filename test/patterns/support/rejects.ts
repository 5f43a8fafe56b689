// An assertion on errors of the pattern library, by their code and some of their details.

import assert from 'node:assert/strict';
import { PatternError, type PatternErrorCode } from '#patterns';
import type { PatternErrorDetails } from '#patterns/internals';

type Detail<C extends PatternErrorCode> = Partial<PatternErrorDetails[C]>;

function isRefusal<C extends PatternErrorCode>(thrown: unknown, code: C, detail: Detail<C>): boolean {
  if (!PatternError.is(thrown, code)) throw thrown;
  assert.deepEqual({ ...thrown.detail, ...detail }, thrown.detail);
  return true;
}

export const rejects = <C extends PatternErrorCode>(
  promise: Promise<unknown> | (() => Promise<unknown>),
  code: C,
  detail: Detail<C> = {},
): Promise<void> => assert.rejects(promise, (thrown: unknown) => isRefusal(thrown, code, detail));

/** The same of what throws at once. */
export const refuses = <C extends PatternErrorCode>(
  act: () => unknown,
  code: C,
  detail: Detail<C> = {},
): void => assert.throws(act, (thrown: unknown) => isRefusal(thrown, code, detail));
