// The README's lines of Python, of `az` and of C#, verbatim. Each is skipped if its client cannot be installed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serve } from 'shelfmark';
import { pythonWith } from '../install.js';
import { isInstalled, newDirectory, run } from '../program.js';
import { type Language, onServer, readmeBlocks } from '../readme.js';

const AZ_PACKAGES: readonly string[] = ['azure-cli==2.91.0'];
const PYTHON_PACKAGES: readonly string[] = ['azure-data-tables==12.7.0'];
const DOTNET_PACKAGE = ['Azure.Data.Tables', '--version', '12.11.0'] as const;

/** The block that contains the word, for a server that lives as long as the test. */
async function blockFor(t: TestContext, language: Language, word: string): Promise<string> {
  const server = await serve({ data: undefined });
  t.after(() => server.close());
  const block = (await readmeBlocks(language)).find(code => code.includes(word));
  assert(block !== undefined, `The README has no block of ${language} with ${word}.`);
  return onServer(block, language, server.connectionString());
}

test("the README's lines of Python", async t => {
  const installed = pythonWith('azure-data-tables', PYTHON_PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const code = await blockFor(t, 'python', 'create_entity');
  assert.match(await run(installed.python, ['-c', code]), /'total': 12\.5/);
});

test("the README's lines of az", async t => {
  const installed = pythonWith('azure-cli', AZ_PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const code = await blockFor(t, 'sh', 'az storage');
  const env = {
    AZURE_CONFIG_DIR: join(newDirectory(t), 'config'),
    AZURE_CORE_COLLECT_TELEMETRY: 'false',
    PATH: `${dirname(installed.python)}${delimiter}${process.env.PATH}`,
  };
  assert.match(await run('bash', ['-ec', code], { env }), /"total": "?12\.5"?/);
});

test("the README's lines of C#", async t => {
  if (!isInstalled('dotnet')) return t.skip('dotnet is not installed');
  const code = await blockFor(t, 'csharp', 'AddEntityAsync');
  const cwd = newDirectory(t);
  await run('dotnet', ['new', 'console'], { cwd });
  await run('dotnet', ['add', 'package', ...DOTNET_PACKAGE], { cwd });
  writeFileSync(join(cwd, 'Program.cs'), code);
  assert.equal((await run('dotnet', ['run'], { cwd })).trim(), '12.5');
});
