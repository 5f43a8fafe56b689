// azure-cli's commands for blobs, unchanged: files and folders up and down, and settings of a blob. Skipped if it
// cannot be installed.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pythonWith } from '../install.js';
import { type Finished, finish, newDirectory, run, startServer } from '../program.js';
import { digestsOf, plantLarge } from '../tree.js';

const PACKAGES: readonly string[] = ['azure-cli==2.91.0'];
const NAME = 'a b/ü+1.txt';

/** The command line with a server of its own. */
interface Cli {
  readonly blobs: string;
  /** A path in a directory that is removed after the test. */
  file(name: string): string;
  /** A command that must succeed; returns its output. Words that may contain a blank come separately. */
  az(words: string, ...more: readonly string[]): Promise<string>;
  /** One that may fail. */
  try(words: string, ...more: readonly string[]): Promise<Finished>;
}

async function openCli(t: TestContext, python: string): Promise<Cli> {
  const directory = newDirectory(t);
  const { server, blobs } = await startServer(t, directory);
  const env = {
    AZURE_CONFIG_DIR: join(directory, 'config'),
    AZURE_CORE_COLLECT_TELEMETRY: 'false',
    AZURE_STORAGE_CONNECTION_STRING: server.connectionString,
  };
  const command = (words: string, more: readonly string[]): readonly string[] => [
    '-m',
    'azure.cli',
    'storage',
    ...words.split(' '),
    ...more,
    '-o',
    'tsv',
  ];
  return {
    blobs,
    file: name => join(directory, name),
    az: async (words, ...more) => (await run(python, command(words, more), { env })).trimEnd(),
    try: (words, ...more) => finish(python, command(words, more), { env }),
  };
}

async function moveFile(cli: Cli): Promise<void> {
  const { az, file } = cli;
  writeFileSync(file('small'), 'hello');
  await az('blob upload -c box --metadata k=v --tags x=1 -n', NAME, '-f', file('small'));
  await az('blob download -c box -n', NAME, '-f', file('down'));
  assert.equal(readFileSync(file('down'), 'utf8'), 'hello');
  const again = await cli.try('blob upload -c box -n', NAME, '-f', file('small'));
  assert.match(again.printed, /BlobAlreadyExists/);
}

async function moveFolder({ az, file }: Cli): Promise<void> {
  const folder = file('folder');
  mkdirSync(join(folder, 'in', 'a b'), { recursive: true });
  for (let at = 0; at < 40; at++) writeFileSync(join(folder, 'in', 'a b', `${at}.txt`), `file ${at}`);
  plantLarge(folder, 'large.bin', 70);
  await az('blob upload-batch -d box --destination-path batch -s', folder);
  mkdirSync(file('back'));
  await az('blob download-batch -s box --pattern batch/* -d', file('back'));
  assert.deepEqual(digestsOf(join(file('back'), 'batch')), digestsOf(folder));
  assert.equal(await az('blob list -c box --prefix batch/in/ --query length(@)'), '40');
}

async function setAndDelete(cli: Cli): Promise<void> {
  const { az, blobs } = cli;
  await az('blob set-tier -c box --tier Cool -n', NAME);
  await az('blob snapshot -c box -n', NAME);
  const lease = await az('blob lease acquire -c box --lease-duration 60 -b', NAME);
  const shown = 'join(`,`, [properties.blobTier, properties.lease.state, metadata.k])';
  assert.equal(await az('blob show -c box -n', NAME, '--query', shown), 'Cool,leased,v');
  assert.match((await cli.try('blob delete -c box -n', NAME)).printed, /LeaseIdMissing/);
  await az('blob lease release -c box --lease-id', lease, '-b', NAME);

  const source = `${blobs}/box/${encodeURIComponent(NAME)}`;
  const status = '[copy_status, status] | [?@] | [0]';
  assert.match(await az('blob copy start -c box -b copy --source-uri', source, '--query', status), /success/);
  await az('blob delete-batch -s box --pattern batch/*');
  await az('blob delete -c box --delete-snapshots include -n', NAME);
  assert.equal(await az('blob list -c box --query [].name'), 'copy');
}

async function opened(t: TestContext): Promise<Cli | undefined> {
  const installed = pythonWith('azure-cli', PACKAGES);
  if ('missing' in installed) {
    t.skip(installed.missing);
    return undefined;
  }
  const cli = await openCli(t, installed.python);
  await cli.az('container create -n box');
  return cli;
}

test('az storage: the round trip of a file', async t => {
  const cli = await opened(t);
  if (cli !== undefined) await moveFile(cli);
});

test('az storage: files and folders up and down, set, leased, snapshotted, copied, deleted', async t => {
  const cli = await opened(t);
  if (cli === undefined) return;
  await moveFile(cli);
  await moveFolder(cli);
  await setAndDelete(cli);
  await cli.az('container delete -n box');
});
