// The value of --trusted-proxy: addresses and ranges, added up, and what is neither.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { parseProxy } from './trusted-proxy.js';
import { each } from './values.js';

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
