// What the commands refuse before they begin: one sentence that names the mistake, an exit code, and nothing left running
// or written. test/overload/refusals.test.ts has directories and disks that cannot be used.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runToEnd, type Spawning } from '../support/spawned-server.js';
import { takenPort } from '../support/taken-port.js';

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-mistakes-'));
test.after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
const never = join(directory, 'never');
const [file, empty] = [join(directory, 'file.pem'), join(directory, 'empty')];
writeFileSync(file, 'none');
writeFileSync(empty, '# nobody');

const memory = ['serve', '--inMemoryPersistence', '--table-port', '0'];
const several = ['serve', '--table-port', '0', '--workers', '2', '--data'];
const badName = { env: { ...process.env, AZURITE_ACCOUNTS: 'Name!:a2V5' } };

type Mistake = readonly [args: readonly string[], sentence: RegExp, code?: number, spawning?: Spawning];

const MISTAKES: readonly Mistake[] = [
  [['serve', '--table-port', '0', '--data', file], /^shelfmark: .*file\.pem cannot hold a store.*\n$/],
  [['serve', '--bad-flag'], /^error: unknown option '--bad-flag'\n$/],
  [[...memory, '--host', '0.0.0.0'], /^shelfmark: The emulator's well-known .* --allow-well-known-key .*\n$/],
  [[...memory, '--queueHost', '0.0.0.0'], /^shelfmark: The emulator's well-known key is not a secret.*\n$/],
  [['serve', '--table-port', 'ten'], /^error: .* A port is a number from 0 to 65535\.\n$/],
  [['serve', '--queue-port', 'ten'], /^error: .* A port is a number from 0 to 65535\.\n$/],
  [['serve', '--workers', 'some'], /^error: .* A number of processes from 1 to 64, or auto\.\n$/],
  [['serve', '--log-level', 'loud'], /^error: .* Allowed choices are silent, error, warn, info, debug\.\n$/],
  [memory, /^shelfmark: The account name 'Name!' must be .*\n$/, 1, badName],
  [[...memory, '--accounts', `${file}.none`], /^shelfmark: ENOENT: no such file.*\n$/],
  [[...memory, '--accounts', empty], /^shelfmark: There is no account in .*empty\.\n$/],
  [[...memory, '--metrics-host', '::1'], /^shelfmark: --metrics-host needs --metrics-port\.\n$/],
  [[...memory, '--cert', file], /^shelfmark: --cert and --key go together\.\n$/],
  [
    [...memory, '--cert', file, '--key', `${file}.none`],
    /^shelfmark: --key names a file that cannot be read: ENOENT: .*\.none'\n$/,
  ],
  [
    [...memory, '--cert', file, '--key', empty],
    /^shelfmark: \S+file\.pem and \S+empty cannot be used as certificate and key: .+\n$/,
  ],
  [[...several, file], /^shelfmark: .* cannot hold a store.*\n$/],
  [[...several, never, '--host', '0.0.0.0'], /^shelfmark: The emulator's well-known key is not a .*\n$/],
  [[...several, never, '--cert', file], /^shelfmark: --cert and --key go together\.\n$/],
  [[...memory, '--workers', '2'], /^shelfmark: --inMemoryPersistence keeps the data in one process, .*\n$/],
  [
    ['serve', '--store', 'memory:', '--workers', '2'],
    /^shelfmark: The engine keeps the data in one process, .*\n$/,
  ],
  [
    ['serve', '--store', 'nonsense:x'],
    /^shelfmark: There is no engine 'nonsense': known are lmdb:DIR, memory:, cassandra:\/\/HOST,…\/KEYSPACE\.\n$/,
  ],
  [['check', 'memory:'], /^shelfmark: The engine 'memory' has no check\.\n$/, 2],
  [['check', never, '--store', 'memory:'], /^shelfmark: A directory and --store both say .*\n$/, 2],
  [['backup', never, '--store', 'memory:'], /^shelfmark: The engine 'memory' has no backup\.\n$/],
  [['restore', never, '--store', 'memory:'], /^shelfmark: The engine 'memory' has no restore\.\n$/],
];
/** Each is a process of its own: all of them run in `npm run verify operations`. */
const TRIED = process.env.SHELFMARK_LONG === undefined ? 3 : MISTAKES.length;

async function fails(
  args: readonly string[],
  sentence: RegExp,
  code = 1,
  spawning?: Spawning,
): Promise<void> {
  const exit = await runToEnd(args, spawning);
  assert.match(exit.stderr, sentence);
  assert.deepEqual([exit.code, exit.stdout], [code, ''], args.join(' '));
}

test('mistakes are reported in one sentence', async () => {
  for (let at = 0; at < TRIED; at += 4)
    await Promise.all(MISTAKES.slice(at, Math.min(at + 4, TRIED)).map(mistake => fails(...mistake)));
  assert(!existsSync(never));
});

test('a port that is taken is told with the option that chose it', async t => {
  const port = String(await takenPort(t));
  const told = (option: string) =>
    new RegExp(
      `^shelfmark: .*EADDRINUSE.*${port}: another program listens there; stop it, or choose another port with ${option}\\.\\n$`,
    );
  const cases: readonly (readonly [args: readonly string[], option: string])[] = [
    [['serve', '--data', never, '--workers', '2', '--table-port', port], '--table-port'],
    [['serve', '--inMemoryPersistence', '--table-port', port], '--table-port'],
    [[...memory, '--queue-port', port], '--queue-port'],
    [[...memory, '--blob-port', port], '--blob-port'],
    [[...memory, '--metrics-port', port], '--metrics-port'],
    [[...several, never, '--metrics-port', port], '--metrics-port'],
  ];
  const tried = cases.slice(0, process.env.SHELFMARK_LONG === undefined ? 1 : undefined);
  await Promise.all(tried.map(([args, option]) => fails(args, told(option))));
});
