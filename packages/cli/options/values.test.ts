// Values of options: addresses and ranges of --trusted-proxy, whole numbers, and options that are given several times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { each, parsePort, parsePortOrNone, parseProxy, wholeIn } from './values.js';

test('addresses and ranges, of IPv4 and IPv6, are added up', () => {
  const good = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'];
  assert.deepEqual(
    good.reduce<readonly string[]>((before, text) => each(parseProxy)(text, before), []),
    good,
  );
});

test('what is neither is refused', () => {
  const bad = [
    '',
    'proxy',
    '10.0.0',
    '10.0.0.1/33',
    '::1/129',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '10.0.0.1:80',
    '*',
  ];
  for (const text of bad) assert.throws(() => parseProxy(text), InvalidArgumentError, text);
});

test('a whole number within its bounds, a port, and none', () => {
  for (const text of ['2', '3', '002']) assert.equal(wholeIn(2, 3)(text), Number(text));
  for (const text of ['', '1', '4', '2.5', '2e0', ' 2', '-2', '0000000002', 'x'])
    assert.throws(() => wholeIn(2, 3)(text), { message: 'A number from 2 to 3.' }, text);
  assert.deepEqual([parsePort('0'), parsePortOrNone('65535'), parsePortOrNone('none')], [0, 65_535, 'none']);
  for (const text of ['65536', 'none', ''])
    assert.throws(() => parsePort(text), { message: 'A port is a number from 0 to 65535.' }, text);
});
