// Commands that read one store at the same time: each removes the directory of contents if it was missing before, and
// no other one notices.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { newDirectory } from '../testing/fixture.js';

const ROUNDS = 300;

/** A command that reads, and one that ends and was the first, again and again. */
const PROGRAMS = [
  `for (let round = 0; round < ${ROUNDS}; round++) pinContents(workerData).release();`,
  `for (let round = 0; round < ${10 * ROUNDS}; round++) removeEmpty(join(workerData, 'contents'));`,
];

const IMPORTS = `
import { pinContents, removeEmpty } from ${JSON.stringify(new URL('./process-entry.js', import.meta.url).href)};
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
`;

test('a pin is taken where another command removes the directory', async t => {
  const directory = newDirectory(t);
  const commands = PROGRAMS.map(
    program =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(IMPORTS + program)}`), {
        workerData: directory,
      }),
  );
  // Throws a worker's error.
  const codes = await Promise.all(commands.map(command => once(command, 'exit')));
  assert.deepEqual(codes, [[0], [0]]);
});
