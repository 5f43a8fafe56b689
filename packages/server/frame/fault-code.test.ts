// What clients receive when an engine fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError, type StoreErrorCode } from '#store';
import { faultCode } from './fault-code.js';

const TOLD: Readonly<Record<StoreErrorCode, string>> = {
  conflict: 'ServerBusy',
  busy: 'ServerBusy',
  closed: 'ServerBusy',
  full: 'ServerBusy:Full',
  tooLarge: 'RequestBodyTooLarge',
  corrupt: 'InternalError',
  unsupported: 'InternalError',
};

test('fault code: each failure of an engine is told, and what is not a failure of it is a fault of ours', () => {
  for (const [code, told] of Object.entries(TOLD))
    assert.equal(faultCode(new StoreError(code as StoreErrorCode, '')), told);
  assert.equal(faultCode(new TypeError()), 'InternalError');
});
