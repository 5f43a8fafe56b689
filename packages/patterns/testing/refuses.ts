// What is refused when a program starts, and why.
import assert from 'node:assert/strict';
import { PatternError, type PatternErrorCode } from '../values/pattern-error.js';

export const refuses = (act: () => unknown, code: PatternErrorCode, reason: RegExp): void =>
  assert.throws(act, (thrown: unknown) => PatternError.is(thrown, code) && reason.test(thrown.message));

export const refusesDefinition = (act: () => unknown, reason: RegExp): void =>
  refuses(act, 'DefinitionInvalid', reason);
