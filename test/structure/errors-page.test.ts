// docs/errors.md lists exactly the codes of the error tables, with their statuses and services.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import { QUEUE_ERROR_TABLE } from '#wire/queue';
import { ERROR_TABLE } from '#wire/table';
import { ROOT } from '../support/spawned-server.js';

const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
const rows = [...page.matchAll(/^- (\w+) (\d{3})(?: \(([\w, ]+)\))?: (.+)$/gm)];
const [, unused = ''] = /never returned: (.+)\.$/m.exec(page) ?? [];

for (const [service, table] of [
  ['tables', ERROR_TABLE],
  ['queues', QUEUE_ERROR_TABLE],
  ['blobs', BLOB_ERROR_TABLE],
] as const)
  test(`every code of ${service} is on the page with its status, and no other`, () => {
    const onPage = rows
      .filter(([, , , services]) => services?.includes(service) ?? true)
      .map(([, code, status]) => `${code} ${status}`);
    const returned = Object.entries(table)
      .map(([code, { status }]) => `${code.replace(/:.*/, '')} ${status}`)
      .filter(entry => !unused.split(', ').some(item => item === entry || item === `${entry} (${service})`));
    assert.deepEqual([...new Set(onPage)].sort(), [...new Set(returned)].sort());
  });

test('every code has its occasion', () => {
  for (const [, code, , , occasion = ''] of rows) assert.ok(occasion.length > 3, code);
});
