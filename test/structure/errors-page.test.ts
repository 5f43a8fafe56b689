// docs/errors.md, docs/queues.md and docs/blobs.md list exactly the codes of the error tables, with their statuses and texts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import { QUEUE_ERROR_TABLE } from '#wire/queue';
import { ERROR_TABLE } from '#wire/table';
import { ROOT } from '../support/spawned-server.js';

/** Rows of the last table of a page: code, status, text. */
function rowsOf(name: string): readonly string[][] {
  const page = readFileSync(join(ROOT, 'docs', name), 'utf8');
  return page
    .slice(page.lastIndexOf('| code | status |'))
    .split('\n')
    .slice(2)
    .filter(line => line.startsWith('| '))
    .map(line => line.split(' | ').map(cell => cell.replace(/^\| /, '').replaceAll('\\|', '|')));
}

/** `InvalidInput (Etag)` on the page is `InvalidInput:Etag` in the table. */
const codeOf = (cell: string): string => cell.replace(/^(\w+) \((\w+)\)$/, '$1:$2');

for (const [name, table] of [
  ['errors.md', ERROR_TABLE],
  ['queues.md', QUEUE_ERROR_TABLE],
  ['blobs.md', BLOB_ERROR_TABLE],
] as const) {
  const rows = rowsOf(name);

  test(`every code of the table is on ${name}, as it is, and no other`, () => {
    const onPage = rows.map(([code = '', status, text]) => [codeOf(code), Number(status), text]);
    const inTable = Object.entries(table).map(([code, { status, message }]) => [code, status, message]);
    assert.deepEqual(onPage.sort(), inTable.sort());
  });

  test(`every code on ${name} has its occasion`, () => {
    for (const [code, , , occasion = ''] of rows)
      assert.ok(occasion.replace(/\|/g, '').trim().length > 3, code);
  });
}
