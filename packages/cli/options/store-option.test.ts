// The address of the store: short forms, addresses, and contradicting options.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeAddress } from './store-option.js';

test('without an option it is the default directory; --data, --location and --inMemoryPersistence are short forms', () => {
  assert.equal(storeAddress({}), 'lmdb:shelfmark-data');
  assert.equal(storeAddress({ data: 'a', location: 'b' }), 'lmdb:a');
  assert.equal(storeAddress({ location: 'b' }), 'lmdb:b');
  assert.equal(storeAddress({ data: 'lmdb:x' }), 'lmdb:lmdb:x', 'a directory of that name');
  assert.equal(storeAddress({ inMemoryPersistence: true }), 'memory:');
});

test('--store is used as it is, if it is an address', () => {
  for (const store of ['lmdb:a', 'lmdb:/a b/c:d', 'memory:']) assert.equal(storeAddress({ store }), store);
  for (const store of ['', 'a', 'nonsense:', 'LMDB:a', 'lmdb:', 'memory:a'])
    assert.throws(() => storeAddress({ store }), { name: 'ConfigurationError' }, store);
});

test('two options for the place of the data are refused, and the message names both', () => {
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
