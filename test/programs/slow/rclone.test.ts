// rclone, as Debian packages it, stores a tree of thousands of files in a container and gets it back, file by file the
// same. Skipped where it is not installed.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACCOUNT, finish, isInstalled, KEY, newDirectory, run, startServer } from '../program.js';
import { digestsOf, plantLarge, plantTree } from '../tree.js';

const skip = !isInstalled('rclone') && 'rclone is not installed (Debian: rclone)';
const FILES = Number(process.env.RCLONE_FILES ?? 2_500);
const LARGE_MEBIBYTES = FILES < 2_500 ? 20 : 300;

/** rclone calls a service at a custom address an emulator. */
const configuration = (endpoint: string): string =>
  [
    '[shelf]',
    'type = azureblob',
    'use_emulator = true',
    `account = ${ACCOUNT}`,
    `key = ${KEY}`,
    `endpoint = ${endpoint}`,
    '',
  ].join('\n');

/** Its commands; all except the comparison must succeed. */
function openRclone(directory: string, endpoint: string) {
  const config = join(directory, 'rclone.conf');
  writeFileSync(config, configuration(endpoint));
  const once = ['--retries', '1', '--low-level-retries', '1', '--transfers', '8', '--checkers', '8'];
  const all = ['--config', config, ...once];
  return {
    rclone: (...args: readonly string[]): Promise<string> => run('rclone', [...all, ...args]),
    /** It exits with 1 where anything differs. */
    differences: async (...args: readonly string[]): Promise<number> =>
      Number(
        /(\d+) differences found/.exec((await finish('rclone', [...all, 'check', ...args])).printed)?.[1],
      ),
  };
}

test('rclone copies, checks, synchronises, shows, lists and deletes a tree', { skip }, async t => {
  const directory = newDirectory(t);
  const tree = join(directory, 'tree');
  mkdirSync(tree);
  plantTree(tree, FILES);
  plantLarge(tree, 'large.bin', LARGE_MEBIBYTES);
  const { blobs } = await startServer(t, directory);

  const { rclone, differences } = openRclone(directory, blobs);
  const there = 'shelf:tree/top';

  await rclone('mkdir', 'shelf:tree');
  await rclone('copy', '--azureblob-chunk-size', '8M', tree, there);
  assert.equal(await differences(tree, there), 0);

  // The files that are copied back are compared here, without rclone.
  const back = join(directory, 'back');
  await rclone('copy', there, back);
  const digests = digestsOf(tree);
  assert.deepEqual(digestsOf(back), digests);
  const lines = (await rclone('lsf', '-R', '--files-only', there)).trimEnd().split('\n');
  assert.equal(lines.length, digests.size);
  const { count, bytes } = JSON.parse(await rclone('size', '--json', there));
  assert.equal(count, digests.size);
  assert(bytes > LARGE_MEBIBYTES * 1024 * 1024);

  await t.test('a changed, a new and a missing file', async () => {
    appendFileSync(join(tree, 'odd & ends', 'a+b'), ' changed');
    writeFileSync(join(tree, 'odd & ends', 'new file'), 'new');
    rmSync(join(tree, 'part 1'), { recursive: true });
    assert((await differences(tree, there)) > FILES / 7);
    await rclone('sync', tree, there);
    assert.equal(await differences(tree, there), 0);
    assert.equal(await rclone('cat', `${there}/odd & ends/a+b`), 'a+b changed');
    assert.equal(await rclone('cat', '--offset', '1', '--count', '1', `${there}/odd & ends/new file`), 'e');
    assert.match(await rclone('ls', `${there}/odd & ends`), /^ +3 new file$/m);
  });

  await t.test('a copy within the server, and a move', async () => {
    await rclone('copyto', `${there}/large.bin`, 'shelf:tree/copies/large.bin');
    await rclone('moveto', 'shelf:tree/copies/large.bin', 'shelf:tree/moved/large.bin');
    assert.equal(await differences('--download', `${there}/large.bin`, 'shelf:tree/moved'), 0);
    assert.equal(await rclone('lsf', 'shelf:tree'), 'moved/\ntop/\n');
  });

  await t.test('delete, and purge', async () => {
    await rclone('delete', '--include', '*.txt', there);
    const left = (await rclone('lsf', '-R', '--files-only', there)).trimEnd().split('\n');
    assert.equal(left.length, digestsOf(join(tree, 'odd & ends')).size + 1);
    await rclone('purge', 'shelf:tree');
    assert.equal(await rclone('lsf', 'shelf:'), '');
  });
});
