// Names reserved after a deletion: per account and service, for as long as the option says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { isNameReserved, reserveName } from './reserved-name.js';

const address = { account: 'a', service: 'queue', name: 'jobs' };

test('a name is reserved to the tick, in its account and service only', async () => {
  const time = { now: 1_000n };
  const clock = () => time.now;
  const holding = { store: openMemoryStore({ clock }), deletion: { ticks: 10n, clock } };
  assert.equal(await isNameReserved(holding, address), false);
  await reserveName(holding, address);
  time.now += 9n;
  assert.equal(await isNameReserved(holding, address), true);
  for (const other of [{ account: 'b' }, { service: 'table' }, { name: 'job' }])
    assert.equal(await isNameReserved(holding, { ...address, ...other }), false);
  await reserveName(holding, address);
  time.now += 9n;
  assert.equal(await isNameReserved(holding, address), true);
  time.now += 1n;
  assert.equal(await isNameReserved(holding, address), false);
});

test('without the option no name is reserved', async () => {
  const holding = { store: openMemoryStore() };
  await reserveName(holding, address);
  assert.equal(await isNameReserved(holding, address), false);
  assert.deepEqual(await holding.store.listSpaces('a', 'dropped queue', '', 10), []);
});

test('a reservation survives when it is renewed while another call drops the expired one', async () => {
  const time = { now: 1_000n };
  const clock = () => time.now;
  const store = openMemoryStore({ clock });
  const holding = { store, deletion: { ticks: 10n, clock } };
  await reserveName(holding, address);
  time.now += 10n;
  const { dropSpace } = store;
  store.dropSpace = async held => {
    store.dropSpace = dropSpace;
    await reserveName(holding, address);
    return store.dropSpace(held);
  };
  assert.equal(await isNameReserved(holding, address), false);
  assert.equal(await isNameReserved(holding, address), true);
});

test('of concurrent reservations the one that ends last counts, even if it began first', async () => {
  for (const lengths of [
    [1n, 2n, 3n],
    [3n, 1n, 2n],
  ]) {
    const time = { now: 1_000n };
    const clock = () => time.now;
    const store = openMemoryStore({ clock });
    const hold = (ticks: bigint) => ({ store, deletion: { ticks, clock } });
    await Promise.all(lengths.map(ticks => reserveName(hold(ticks), address)));
    time.now += 2n;
    assert.equal(await isNameReserved(hold(0n), address), true, String(lengths));
    time.now += 1n;
    assert.equal(await isNameReserved(hold(0n), address), false, String(lengths));
  }
});
