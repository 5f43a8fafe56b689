// The options of `serve` on the command line: values that are accepted and refused, each at its bounds, and what they set.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { type ServeFlags, serveOptions, WORKERS_MAX } from './serve-options.js';
import { limitsOf, tenantsOf, workersOf } from './serve-settings.js';
import { storeAddress } from './store-option.js';

const parse = (...args: readonly string[]): ServeFlags =>
  serveOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parse([...args], { from: 'user' })
    .opts();

const PORT = 'A port is a number from 0 to 65535\\.';
const PROCESSES = 'A number of processes from 1 to 64, or auto\\.';
const NOT_NUMBERS = ['', 'x', '1.5', '1e1', ' 2', '0000000001'];
const NOT_ADDRESSES = ['', 'proxy', '10.0.0', '10.0.0.1/33', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', '*'];

const VALUES: readonly (readonly [
  flag: string,
  accepted: readonly string[],
  refused: readonly string[],
  sentence: string,
])[] = [
  ['--table-port', ['0', '65535', '0080'], ['-1', '65536', 'none', ...NOT_NUMBERS], PORT],
  ['--queue-port', ['0', '65535', 'none'], ['65536', 'None', ...NOT_NUMBERS], PORT],
  ['--max-connections', ['1', '1000000'], ['0', '1000001', ...NOT_NUMBERS], 'A number from 1 to 1000000\\.'],
  ['--max-waiting-writes', ['1', '1000000'], ['0', '1000001'], 'A number from 1 to 1000000\\.'],
  ['--max-request-megabytes', ['8', '1000000'], ['7', '1000001'], 'A number from 8 to 1000000\\.'],
  ['--drain-seconds', ['0', '3600'], ['-1', '3601'], 'A number from 0 to 3600\\.'],
  ['--workers', ['1', '04', String(WORKERS_MAX), 'auto'], ['0', '65', 'AUTO', ...NOT_NUMBERS], PROCESSES],
  ['--tenant-role', ['Storage Table Data Reader'], ['', 'storage table data reader', 'Owner'], 'One of: '],
  ['--trusted-proxy', ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'], NOT_ADDRESSES, 'neither'],
];

test('values at the bounds of each option, and beyond', () => {
  for (const [flag, accepted, refused, sentence] of VALUES) {
    for (const value of accepted) parse(flag, value);
    for (const value of refused)
      assert.throws(() => parse(`${flag}=${value}`), new RegExp(sentence), `${flag} '${value}'`);
  }
  assert.deepEqual(parse('--trusted-proxy', '10.0.0.0/8', '::1').trustedProxy, ['10.0.0.0/8', '::1']);
  assert.deepEqual([parse('--workers', '04').workers, parse('--queue-port', 'none').queuePort], [4, 'none']);
});

test('limits, whose defaults are the server’s', () => {
  assert.deepEqual(new Set(Object.values(limitsOf(parse()))), new Set([undefined]));
  const given = '--max-connections 7 --max-waiting-writes 8 --max-request-megabytes 9 --drain-seconds 0';
  assert.deepEqual(limitsOf(parse(...given.split(' '))), {
    connectionsMax: 7,
    waitingWritesMax: 8,
    bufferedBytesMax: 9 * 1_048_576,
    drainMilliseconds: 0,
  });
});

const entra = (tenant: string) => ({
  tenant,
  issuer: [`https://login.microsoftonline.com/${tenant}/v2.0`, `https://sts.windows.net/${tenant}/`],
  jwks: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
  audience: undefined,
  role: undefined,
});

test('tenants: none, several, and one with an issuer, keys, an audience and a role of its own', () => {
  const of = (...args: readonly string[]) => tenantsOf(parse(...args));
  assert.deepEqual(of(), []);
  assert.deepEqual(of('--tenant', 'a', '--tenant', 'b'), [entra('a'), entra('b')]);
  const role = 'Storage Table Data Reader';
  const own = { jwks: 'keys.json', audience: 'https://me.example', role };
  const flags = ['--tenant-jwks', own.jwks, '--tenant-audience', own.audience, '--tenant-role', role];
  const issuer = 'https://issuer.example/';
  assert.deepEqual(of('--tenant', 'a', '--tenant-issuer', issuer, ...flags), [
    { tenant: 'a', issuer, ...own },
  ]);
  const both = ['--tenant', 'a', '--tenant', 'b'];
  assert.deepEqual(of(...both, ...flags), [
    { ...entra('a'), ...own },
    { ...entra('b'), ...own },
  ]);
  assert.throws(() => of(...both, '--tenant-issuer', issuer), { name: 'ConfigurationError' });
});

test('auto is a process for each core, and as many as the engine allows', () => {
  const cores = availableParallelism();
  assert.deepEqual([workersOf(1, { workersMax: 4 }, '--x'), workersOf(4, { workersMax: 4 }, '--x')], [1, 4]);
  assert.equal(workersOf('auto', { workersMax: WORKERS_MAX }, '--x'), Math.min(cores, WORKERS_MAX));
  assert.deepEqual([workersOf('auto', {}, '--x'), workersOf(1, {}, '--x')], [1, 1]);
  for (const [workers, tools, message] of [
    [2, {}, /^--x keeps the data in one process, which 2 workers cannot share: /],
    [2, { hasPeers: true }, /^--x has one process for each server: in place of 2 workers start as many /],
    [5, { workersMax: 4 }, /^--x lets 4 processes share the data, which 5 workers cannot share: /],
  ] as const)
    assert.throws(() => workersOf(workers, tools, '--x'), { name: 'ConfigurationError', message });
});

test('the place of the data: a directory by default, its short forms, and two that contradict each other', () => {
  for (const [flags, address] of [
    [{}, 'lmdb:shelfmark-data'],
    [{ data: 'a', location: 'b' }, 'lmdb:a'],
    [{ location: 'b' }, 'lmdb:b'],
    [{ data: 'lmdb:x' }, 'lmdb:lmdb:x'],
    [{ inMemoryPersistence: true }, 'memory:'],
    [{ store: 'lmdb:/a b/c:d' }, 'lmdb:/a b/c:d'],
    [{ store: 'memory:' }, 'memory:'],
  ] as const)
    assert.equal(storeAddress(flags), address);
  for (const store of ['', 'a', 'nonsense:', 'LMDB:a', 'lmdb:', 'memory:a'])
    assert.throws(() => storeAddress({ store }), { name: 'ConfigurationError' }, store);
  for (const [flags, names] of [
    [{ store: 'lmdb:a', data: 'a' }, '--store and --data'],
    [{ store: 'lmdb:a', location: 'a' }, '--store and --location'],
    [{ store: 'memory:', inMemoryPersistence: true }, '--store and --inMemoryPersistence'],
    [{ inMemoryPersistence: true, data: 'a' }, '--inMemoryPersistence and --data'],
    [{ inMemoryPersistence: true, location: 'a' }, '--inMemoryPersistence and --location'],
  ] as const)
    assert.throws(() => storeAddress(flags), {
      name: 'ConfigurationError',
      message: `${names} both say where the data is: leave out one of the two.`,
    });
});
