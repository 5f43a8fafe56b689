// The command accepts the address of a store wherever it accepts a directory.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve } from '#server';
import { onlyIn } from '../support/slow.js';
import { runToEnd } from '../support/spawned-server.js';

const root = mkdtempSync(join(tmpdir(), 'store-address-'));
test.after(() => rmSync(root, { recursive: true }));

/** Each command is a process of its own. */
const skip = onlyIn('operations');

test('a store given by its address is served, checked, backed up and restored', {
  skip,
}, async () => {
  const [data, copy, again] = ['data', 'copy', 'again'].map(name => join(root, name));
  assert(data && copy && again);
  const server = await serve({ store: `lmdb:${data}`, durability: 'none' });
  assert.deepEqual([server.data, server.place], [data, data]);
  await server.close();
  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runToEnd(args);
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };
  assert.match(
    await said('backup', copy, '--store', `lmdb:${data}`),
    /^Backed up \S+data to \S+copy: 0 tables/,
  );
  assert.match(
    await said('restore', copy, '--store', `lmdb:${again}`),
    /^Restored \S+copy to \S+again: 0 tables/,
  );
  for (const args of [[`lmdb:${again}`], ['--store', `lmdb:${again}`]])
    assert.match(await said('check', ...args), /^\S+again: 0 tables.*\nwhole\n$/);
});
