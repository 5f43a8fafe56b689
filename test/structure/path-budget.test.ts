// How much code one Insert Entity runs through: a warm one, without content, signed with SharedKeyLite, in memory.
// Azurite 3.37 runs 33 files, 138 functions and 904 lines for it. PATH_BUDGET=list prints each file's share.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExecutedFile, ExecutionRecorder } from '../support/executed-code.js';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';
import { ROOT } from '../support/spawned-server.js';

// The design's first guess was 14 files, 50 functions and 400 lines, before anything was built. It was corrected twice, for
// reasons that ARCHITECTURE.md gives: one noun or verb a file, functions of five lines, JSON that is read by hand, and then
// HTTP that is read by hand too, which node:http did in 5 files of its own that nobody counted. Ten lines came with bounds on what
// connections hold, and with the time that a request takes.
const FILES_MAX = 37;
const FUNCTIONS_MAX = 168;
/** Lines of TypeScript. */
const LINES_MAX = 950;

test('one Insert stays in the budget of its path', async t => {
  const recorder = new ExecutionRecorder(ROOT, join(ROOT, 'dist', 'packages'));
  await recorder.start();
  t.after(() => recorder.stop());
  const { serve } = await import('shelfmark');
  const server = await serve();
  t.after(() => server.close());
  const post = (path: string, body: object): Promise<RawResponse> =>
    rawRequest(server, {
      method: 'POST',
      target: inAccount(server, path),
      headers: {
        Accept: 'application/json;odata=nometadata',
        'Content-Type': 'application/json',
        Prefer: 'return-no-content',
      },
      body: JSON.stringify(body),
    });
  const insert = async (rowKey: string): Promise<void> => {
    const entity = {
      PartitionKey: 'p',
      RowKey: rowKey,
      name: 'Ada',
      born: 1815,
      'born@odata.type': 'Edm.Int32',
    };
    assert.equal((await post('/people', entity)).status, 204);
  };
  await post('/Tables', { TableName: 'people' });
  for (let i = 0; i < 20; i++) await insert(`warm${i}`);

  // A sweep by the clock may come in between, and is no part of the path: not of all three.
  const measured: (readonly ExecutedFile[])[] = [];
  await recorder.take();
  for (const name of ['one', 'two', 'three']) {
    await insert(name);
    measured.push(await recorder.take());
  }
  const [files = []] = measured.sort((a, b) => a.length - b.length);

  const functions = files.flatMap(file => file.functions);
  const calls = functions.reduce((sum, one) => sum + one.calls, 0);
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  t.diagnostic(
    `${files.length} files, ${functions.length} functions, ${calls} calls, ${lines} lines of TypeScript`,
  );
  if (process.env.PATH_BUDGET === 'list')
    for (const file of files) {
      const names = file.functions.map(({ name, calls: times }) => (times > 1 ? `${name} x${times}` : name));
      t.diagnostic(`${file.lines.length} ${file.path}: ${names.join(', ')}`);
    }
  assert(files.some(({ path }) => path === 'packages/http/connection.ts'));
  assert(files.length <= FILES_MAX, `${files.length} files`);
  assert(functions.length <= FUNCTIONS_MAX, `${functions.length} functions`);
  assert(lines <= LINES_MAX, `${lines} lines`);
});
