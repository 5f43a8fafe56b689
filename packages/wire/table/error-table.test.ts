// The error table against its page: every code is documented as it is, and no other (docs/errors.md).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TableError } from '#tables';
import { errorMessage, wireCode } from '../shared/error-table.js';
import { ERROR_TABLE } from './error-table.js';

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

test('the page lists the codes of the table, with their statuses and texts', () => {
  const rows = page.split('\n').flatMap(line => {
    const [, code, variant, status, text] =
      /^\| (\w+)(?: \((\w+)\))? \| (\d{3}) \| (.+?) \| .+ \|$/.exec(line) ?? [];
    return code === undefined
      ? []
      : [[variant === undefined ? code : `${code}:${variant}`, Number(status), text]];
  });
  const entries = Object.entries(ERROR_TABLE).map(([code, { status, message }]) => [code, status, message]);
  assert.deepEqual(rows.sort(), entries.sort());
});

test('codes go over the wire without the name of their text', () => {
  assert.equal(wireCode('InvalidInput:FilterSyntax'), 'InvalidInput');
  assert.equal(wireCode('EntityAlreadyExists'), 'EntityAlreadyExists');
});

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
