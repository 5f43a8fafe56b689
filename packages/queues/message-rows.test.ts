// The rows of messages, their count and pop receipts: order of keys, stored forms, and the refusal of others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openMemoryStore } from '#store';
import {
  allVisibilityKeys,
  COUNT_KEY,
  changeCount,
  decodeCount,
  decodeDeliveryState,
  decodeMessage,
  decodeVisibilityKey,
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  formatReceipt,
  isExpired,
  messageKey,
  parseReceipt,
  partitionOfGeneration,
  readStanding,
  visibleUntil,
} from './message-rows.js';

const ID = '6f1c1ae6-0f4e-4a92-9a2e-6a1d3b0f7c55';
const tick = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 20n }));
const visibilityKey = fc.record(
  { visible: tick, inserted: tick, id: fc.constantFrom(ID, ID.replace('6', '7')) },
  { noNullPrototype: true },
);
const rowOf = (value: Buffer) => ({ partition: '', key: 'k', version: 1n, value });

test('visibility keys are ordered as their times and decode to them', () => {
  fc.assert(
    fc.property(visibilityKey, visibilityKey, (a, b) => {
      assert.deepEqual(decodeVisibilityKey(encodeVisibilityKey(a)), a);
      const isBefore =
        a.visible < b.visible ||
        (a.visible === b.visible && (a.inserted < b.inserted || (a.inserted === b.inserted && a.id < b.id)));
      assert.equal(encodeVisibilityKey(a) < encodeVisibilityKey(b), isBefore);
    }),
  );
});

test('the range until a tick has the messages visible then, and no other row lies among visibility keys', () => {
  fc.assert(
    fc.property(visibilityKey, fc.bigInt({ min: 0n, max: 2n ** 63n - 2n }), (at, now) => {
      const key = encodeVisibilityKey(at);
      const { from, until } = visibleUntil(now);
      assert.equal(key >= from && key < until, at.visible <= now);
      assert.ok(key >= allVisibilityKeys.from && key < allVisibilityKeys.until);
    }),
  );
  for (const key of ['count', messageKey(ID)])
    assert.ok(key < allVisibilityKeys.from || key >= allVisibilityKeys.until, key);
});

test('partitions are ordered as their generations', () => {
  const generations = [0, 1, 9, 10, 15, 16, 255, 256, 2 ** 31, 2 ** 32 - 1];
  const names = generations.map(partitionOfGeneration);
  assert.deepEqual([...names].sort(), names);
});

test('stored forms are what later versions must read', () => {
  const state = { expires: 0x102030405060708n, dequeueCount: 9, nonce: Buffer.from('abcdefg') };
  assert.equal(encodeDeliveryState(state).toString('hex'), '0101020304050607080000000961626364656667');
  assert.deepEqual(decodeDeliveryState(rowOf(encodeDeliveryState(state))), state);
  const message = { inserted: 1n, expires: 2n, text: 'ö' };
  assert.equal(encodeMessage(message).toString('hex'), '0100000000000000010000000000000002c3b6');
  assert.deepEqual(decodeMessage(rowOf(encodeMessage(message))), message);
});

test('a message is expired from its tick on', () => {
  const row = rowOf(encodeDeliveryState({ expires: 10n, dequeueCount: 0, nonce: Buffer.alloc(7) }));
  assert.deepEqual([isExpired(row, 9n), isExpired(row, 10n), isExpired(row, 11n)], [false, true, true]);
});

test('the dequeue count stops at the maximum of its field', () => {
  const countOf = (dequeueCount: number) =>
    decodeDeliveryState(rowOf(encodeDeliveryState({ expires: 1n, dequeueCount, nonce: Buffer.alloc(7) })))
      .dequeueCount;
  assert.deepEqual(
    [0xffff_fffe, 0xffff_ffff, 0x1_0000_0000].map(countOf),
    [0xffff_fffe, 0xffff_ffff, 0xffff_ffff],
  );
});

test('rows that are cut short or of another form are refused', () => {
  const state = encodeDeliveryState({ expires: 1n, dequeueCount: 0, nonce: Buffer.alloc(7) });
  const message = encodeMessage({ inserted: 1n, expires: 2n, text: '' });
  const corrupt = { name: 'StoreError', code: 'corrupt' };
  for (const value of [Buffer.alloc(0), state.subarray(1), Buffer.concat([state, Buffer.of(0)])]) {
    assert.throws(() => decodeDeliveryState(rowOf(value)), corrupt);
    assert.throws(() => isExpired(rowOf(value), 0n), corrupt);
  }
  assert.throws(() => decodeMessage(rowOf(message.subarray(1))), corrupt);
  state[0] = 2;
  message[0] = 2;
  const unsupported = { name: 'StoreError', code: 'unsupported' };
  assert.throws(() => decodeDeliveryState(rowOf(state)), unsupported);
  assert.throws(() => decodeMessage(rowOf(message)), unsupported);
});

test('the current time is the later of clock and row', async () => {
  const time = { now: 100n };
  const store = openMemoryStore({ clock: () => time.now });
  const space = await store.createSpace({ account: 'a', service: 'queue', name: 'q' }, Buffer.alloc(0));
  assert.ok(space);
  const at = (now: bigint) => readStanding(store, space, 'p', () => now);
  assert.deepEqual(await at(7n), { count: 0, now: 7n });
  time.now = 200n;
  await store.commit(space, 'p', { keys: [COUNT_KEY] }, ({ keys: [row] }) => ({
    result: true,
    puts: [changeCount(row, 3)],
  }));
  assert.deepEqual(await at(199n), { count: 3, now: 200n });
  assert.deepEqual(await at(201n), { count: 3, now: 201n });
});

test('a count goes up and down, and an unreadable one is corrupt', () => {
  const row = (value: Buffer) => ({ partition: '', key: COUNT_KEY, version: 1n, value });
  assert.equal(decodeCount(undefined), 0);
  const three = row(changeCount(undefined, 3).value);
  assert.equal(decodeCount(three), 3);
  assert.equal(decodeCount(row(changeCount(three, -2).value)), 1);
  assert.throws(() => decodeCount(row(Buffer.alloc(7))), { name: 'StoreError', code: 'corrupt' });
});

const receipt = fc.record(
  {
    visible: tick,
    inserted: tick,
    nonce: fc.uint8Array({ minLength: 7, maxLength: 7 }).map(bytes => Buffer.from(bytes)),
  },
  { noNullPrototype: true },
);

test('a receipt reads back as it was written', () => {
  fc.assert(
    fc.property(receipt, value => {
      const text = formatReceipt(value);
      assert.match(text, /^[A-Za-z0-9+/]{32}$/);
      assert.deepEqual(parseReceipt(text), value);
    }),
  );
});

test('any other text is refused', () => {
  const refused = { name: 'QueueError', code: 'InvalidQueryParameterValue' };
  fc.assert(
    fc.property(fc.string(), text => {
      assert.throws(() => parseReceipt(text), refused);
    }),
  );
  const text = formatReceipt({ visible: 1n, inserted: 2n, nonce: Buffer.alloc(7) });
  const altered = (at: number, byte: number): string => {
    const bytes = Buffer.from(text, 'base64');
    bytes[at] = byte;
    return bytes.toString('base64');
  };
  for (const none of [altered(0, 0), altered(0, 2), altered(1, 0x80), altered(9, 0x80)])
    assert.throws(() => parseReceipt(none), refused, none);
  for (const none of [text.slice(1), `${text}A`, text.replace(/.$/, '='), text.replace(/.$/, '\n')])
    assert.throws(() => parseReceipt(none), refused, none);
});
