// The README's programs in TypeScript, verbatim. Those in Python and of `az` are in slow/readme-clients.test.ts.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve } from 'shelfmark';
import { ROOT } from '../support/spawned-server.js';
import { run } from './program.js';
import { onServer, readmeBlocks } from './readme.js';

/** Below the repository, so that programs import what its packages export. */
const BUILD = join(ROOT, 'dist', 'readme');

test("the README's programs in TypeScript run and print what the README shows", async t => {
  mkdirSync(BUILD, { recursive: true });
  const folder = mkdtempSync(join(BUILD, 'blocks-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const server = await serve({ data: undefined });
  t.after(() => server.close());
  const printed: string[] = [];
  for (const [at, block] of (await readmeBlocks('ts')).entries()) {
    const file = join(folder, `block-${at}.mjs`);
    const code = block.replace("'shelfmark-patterns'", "'#patterns'");
    writeFileSync(file, onServer(code, 'ts', server.connectionString()));
    printed.push(await run(process.execPath, [file], { cwd: folder }));
  }
  assert.equal(printed.length, 3);
  assert.match(printed[0] ?? '', /partitionKey: 'customer-1',[\s\S]*total: 12\.5/);
  assert.match(printed[1] ?? '', /^DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;/);
});
