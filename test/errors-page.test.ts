// docs/errors.md lists exactly the codes of the error table, with their statuses and texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ERROR_TABLE } from '#wire';

const page = readFileSync(fileURLToPath(new URL('../../docs/errors.md', import.meta.url)), 'utf8');

/** Rows of the last table of the page: code, status, text. */
const rows = page
  .slice(page.lastIndexOf('| code | status |'))
  .split('\n')
  .slice(2)
  .filter(line => line.startsWith('| '))
  .map(line => line.split(' | ').map(cell => cell.replace(/^\| /, '').replaceAll('\\|', '|')));

/** `InvalidInput (Etag)` on the page is `InvalidInput:Etag` in the table. */
const codeOf = (cell: string): string => cell.replace(/^(\w+) \((\w+)\)$/, '$1:$2');

test('every code of the table is on the page, as it is, and no other', () => {
  const onPage = rows.map(([code = '', status, text]) => [codeOf(code), Number(status), text]);
  const inTable = Object.entries(ERROR_TABLE).map(([code, { status, message }]) => [code, status, message]);
  assert.deepEqual(onPage, inTable);
});

test('every code has its occasion', () => {
  for (const [code, , , occasion = ''] of rows)
    assert.ok(occasion.replace(/\|/g, '').trim().length > 3, code);
});
