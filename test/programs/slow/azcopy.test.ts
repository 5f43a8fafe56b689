// AzCopy, as Microsoft publishes it on npm, uploads, downloads, copies, synchronises and removes a tree. Skipped where it can't be installed.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AccountSASPermissions, BlobServiceClient } from '@azure/storage-blob';
import { modulesWith } from '../install.js';
import { finish, newDirectory, run, startServer } from '../program.js';
import { digestsOf, plantLarge, plantTree } from '../tree.js';

const PACKAGES: readonly string[] = ['@azure-tools/azcopy-linux@10.32.2'];
const BINARY = '@azure-tools/azcopy-linux/dist/bin/azcopy_linux_amd64';
const FILES = 600;
const DAY_MS = 86_400_000;

interface AzCopy {
  readonly client: BlobServiceClient;
  /** The URL of a container, or of what is below it, with a signature. */
  url(path: string): string;
  /** A command that succeeds; gives how many transfers it completed. */
  azcopy(...args: readonly string[]): Promise<number>;
}

async function openAzCopy(t: TestContext, azcopy: string, directory: string): Promise<AzCopy> {
  const { server, blobs } = await startServer(t, directory);
  const client = BlobServiceClient.fromConnectionString(server.connectionString);
  const until = new Date(Date.now() + DAY_MS);
  const signed = client.generateAccountSasUrl(until, AccountSASPermissions.parse('rwdlacupxtf'), 'sco');
  const env = {
    AZCOPY_LOG_LOCATION: join(directory, 'log'),
    AZCOPY_JOB_PLAN_LOCATION: join(directory, 'plan'),
    AZCOPY_DISABLE_SYSLOG: 'true',
  };
  return {
    client,
    url: path => `${blobs}/${path}${new URL(signed).search}`,
    azcopy: async (...args) => {
      const printed = await run(azcopy, args, { env });
      const found = /Number of (?:File|Copy) Transfers Completed: (\d+)/.exec(printed);
      assert(found !== null && printed.includes('Final Job Status: Completed\n'), printed);
      return Number(found[1]);
    },
  };
}

/** `sync` uploads what is newer than its blob, whose Last-Modified is cut to the second. */
function makeOld(tree: string): void {
  const then = new Date(Date.now() - DAY_MS);
  for (const path of readdirSync(tree, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(tree, path), then, then);
}

async function copyAndSynchronise({ azcopy, url, client }: AzCopy, directory: string): Promise<void> {
  const tree = join(directory, 'tree');
  mkdirSync(tree);
  plantTree(tree, FILES);
  plantLarge(tree, 'large.bin', 70);
  // AzCopy writes a backslash as a slash.
  rmSync(join(tree, 'odd & ends', 'back\\slash'));
  const digests = digestsOf(tree);
  makeOld(tree);

  await client.createContainer('box');
  const upload = ['copy', tree, url('box'), '--recursive', '--from-to', 'LocalBlob'];
  assert.equal(await azcopy(...upload, '--block-size-mb', '8', '--put-md5'), digests.size);

  const back = join(directory, 'back');
  const download = ['copy', url('box/tree'), back, '--recursive', '--from-to', 'BlobLocal'];
  assert.equal(await azcopy(...download, '--check-md5', 'FailIfDifferentOrMissing'), digests.size);
  assert.deepEqual(digestsOf(join(back, 'tree')), digests);

  // The bodies go from container to container without passing through AzCopy.
  const between = ['copy', url('box'), url('other'), '--recursive', '--from-to', 'BlobBlob'];
  assert.equal(await azcopy(...between), digests.size);

  appendFileSync(join(tree, 'odd & ends', 'a+b'), ' changed');
  writeFileSync(join(tree, 'odd & ends', 'new file'), 'new');
  rmSync(join(tree, 'part 1'), { recursive: true });
  const sync = ['sync', tree, url('box/tree'), '--from-to', 'LocalBlob', '--delete-destination', 'true'];
  assert.equal(await azcopy(...sync), 2);
  const again = join(directory, 'again');
  const left = digestsOf(tree);
  assert.equal(await azcopy(...download.with(2, again)), left.size);
  assert.deepEqual(digestsOf(join(again, 'tree')), left);
}

async function setAndRemove({ azcopy, url, client }: AzCopy): Promise<void> {
  const set = ['set-properties', url('other/tree/part 2'), '--recursive', '--from-to', 'BlobNone'];
  const changed = await azcopy(...set, '--block-blob-tier', 'cool', '--metadata', 'k=v');
  assert(changed > 0);
  const other = client.getContainerClient('other');
  let cool = 0;
  for await (const { metadata, properties } of other.listBlobsFlat({ includeMetadata: true }))
    if (properties.accessTier === 'Cool' && metadata?.k === 'v') cool++;
  assert.equal(cool, changed);

  await azcopy('remove', url('other/tree'), '--recursive', '--from-to', 'BlobTrash');
  for await (const { name } of other.listBlobsFlat()) assert.fail(`${name} is left`);
}

test('AzCopy uploads, downloads, copies, synchronises, sets and removes a tree', async t => {
  const installed = modulesWith('azcopy', PACKAGES);
  if ('missing' in installed) return t.skip(installed.missing);
  const azcopy = join(installed.modules, BINARY);
  // The package loses the bit.
  chmodSync(azcopy, 0o755);
  const { code, printed } = await finish(azcopy, ['--version']);
  if (code !== 0) return t.skip(`AzCopy does not start here (Debian: libsecret-1-0): ${printed.trim()}`);
  const directory = newDirectory(t);
  const opened = await openAzCopy(t, azcopy, directory);
  await copyAndSynchronise(opened, directory);
  await setAndRemove(opened);
});
