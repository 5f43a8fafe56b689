// The address of the store: short forms, addresses, and contradicting options.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeAddress } from './store-option.js';

test('without an option it is the default directory; --data, --location and --inMemoryPersistence are short forms', () => {
  assert.equal(storeAddress({}), 'lmdb:shelfmark-data');
  assert.equal(storeAddress({ data: 'a', location: 'b' }), 'lmdb:a');
  assert.equal(storeAddress({ location: 'b' }), 'lmdb:b');
  assert.equal(storeAddress({ data: 'lmdb:x' }), 'lmdb:lmdb:x', 'a directory of that name');
  assert.equal(
    storeAddress({ inMemoryPersistence: true, data: 'a' }),
    'memory:',
    'as Azurite’s users have it',
  );
});

test('--store is used as it is, if it is an address', () => {
  for (const store of ['lmdb:a', 'lmdb:/a b/c:d', 'memory:']) assert.equal(storeAddress({ store }), store);
  for (const store of ['', 'a', 'nonsense:', 'LMDB:a', 'lmdb:', 'memory:a'])
    assert.throws(() => storeAddress({ store }), { name: 'ConfigurationError' }, store);
});

test('--store beside another option for the data is refused, and the message names both', () => {
  for (const [flags, option] of [
    [{ data: 'a' }, '--data'],
    [{ location: 'a' }, '--location'],
    [{ inMemoryPersistence: true }, '--inMemoryPersistence'],
  ] as const)
    assert.throws(() => storeAddress({ store: 'lmdb:a', ...flags }), {
      name: 'ConfigurationError',
      message: `--store and ${option} both say where the data is: leave out one of the two.`,
    });
});
