// How codes and texts of the error table go over the wire.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableError } from '#tables';
import { errorMessage } from '../shared/error-table.js';
import { ERROR_TABLE } from './error-table.js';

test('details replace their placeholders once, and missing ones leave them empty', () => {
  const message = (detail: Record<string, string>) =>
    errorMessage(
      ERROR_TABLE['OutOfRangeInput:Parameter'],
      new TableError('OutOfRangeInput:Parameter', detail),
    );
  assert.equal(
    message({ name: 'RowKey', value: 'a/b' }),
    "The 'RowKey' parameter of value 'a/b' is out of range.",
  );
  assert.equal(
    message({ name: '{value}', value: '$&' }),
    "The '{value}' parameter of value '$&' is out of range.",
  );
  assert.equal(message({}), "The '' parameter of value '' is out of range.");
});
