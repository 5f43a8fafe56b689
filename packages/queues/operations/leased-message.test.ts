// Update and delete: times, forged receipts, and error precedence (protocol: messages#receipts). Whole lives of messages
// are judged by test/queues/history.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeasedMessage } from '../outcome.js';
import {
  countOf,
  get,
  openQueue,
  outcomeOf,
  peek,
  put,
  refusalOf,
  remove,
  SECOND,
  START,
  type TestAccount,
  textsOf,
  update,
} from '../testing/account.js';

async function getOne(account: TestAccount, visibilitySeconds = 30): Promise<LeasedMessage> {
  const [message] = await get(account, 1, visibilitySeconds);
  assert.ok(message);
  return message;
}

const change = (...args: Parameters<typeof update>) => outcomeOf('messageUpdated', update(...args));

test('an update changes text, visibility and receipt, and nothing else', async () => {
  const account = await openQueue();
  const { time } = account;
  const { id, inserted, expires } = await put(account, 'a');
  const held = await getOne(account);
  time.now += SECOND;
  const changed = await change(account, held, 5, 'b');
  assert.equal(changed.visible, time.now + 5n * SECOND);
  assert.notEqual(changed.receipt, held.receipt);
  assert.equal(await countOf(account), 1);
  time.now = changed.visible - 1n;
  assert.deepEqual(await peek(account), []);
  time.now = changed.visible;
  assert.deepEqual(await peek(account), [{ id, inserted, expires, dequeueCount: 1, text: 'b' }]);
  const kept = await change(account, { id, receipt: changed.receipt }, 0);
  assert.deepEqual(await peek(account), [{ id, inserted, expires, dequeueCount: 1, text: 'b' }]);
  await change(account, { id, receipt: kept.receipt }, 0, '');
  assert.deepEqual(textsOf(await peek(account)), ['']);
  assert.equal((await getOne(account)).dequeueCount, 2);
});

test('an update to the very time that was set keeps the message', async () => {
  const account = await openQueue();
  await put(account, 'a');
  account.time.now += SECOND;
  const held = await getOne(account, 30);
  account.time.now += 10n * SECOND;
  const changed = await change(account, held, 20);
  assert.equal(changed.visible, held.visible);
  await refusalOf('PopReceiptMismatch', remove(account, held));
  await outcomeOf('messageDeleted', remove(account, { id: held.id, receipt: changed.receipt }));
});

test('a message is not hidden beyond its expiry', async () => {
  const account = await openQueue();
  account.time.now = START + SECOND;
  await put(account, 'a', 0, 100);
  account.time.now += SECOND / 2n;
  const held = await getOne(account, 1);
  // A little before 90 seconds are left, since each attempt takes a tick.
  account.time.now = START + 11n * SECOND - 9n;
  const { detail } = await refusalOf('OutOfRangeQueryParameterValue', update(account, held, 91));
  assert.deepEqual(detail, { name: 'visibilitytimeout', value: 91, minimum: 0, maximum: 90 });
  const changed = await change(account, held, 90);
  assert.ok(changed.visible <= held.expires && changed.visible > held.expires - SECOND);
  account.time.now = held.expires;
  await refusalOf('MessageNotFound', update(account, { id: held.id, receipt: changed.receipt }, 0));
});

test('error precedence: the queue, the form of the receipt, the message, the receipt', async () => {
  const account = await openQueue();
  const { run } = account;
  const { id, receipt } = await put(account, 'a');
  const strange = { kind: 'deleteMessage', queue: 'other', id, receipt: '!' } as const;
  await refusalOf('QueueNotFound', run(strange));
  const missing = '00000000-0000-4000-8000-ffffffffffff';
  for (const malformed of ['', '!', 'AAAA', 'AgAAAAMAAAAAAAAAtB30WQUG1QE=', `${receipt} `, '/'.repeat(32)]) {
    const { detail } = await refusalOf(
      'InvalidQueryParameterValue',
      remove(account, { id: missing, receipt: malformed }),
    );
    assert.deepEqual(detail, { name: 'popreceipt', value: malformed, reason: 'Invalid pop receipt format' });
  }
  for (const unknown of [missing, '', 'x', 'i'.repeat(2000), id.toUpperCase().replace('0', 'A')])
    await refusalOf('MessageNotFound', remove(account, { id: unknown, receipt }));
  const other = await put(account, 'b');
  await refusalOf('PopReceiptMismatch', remove(account, { id, receipt: other.receipt }));
  await outcomeOf('messageDeleted', remove(account, { id, receipt }));
});

test('a receipt with the right times and other random bytes is invalid', async () => {
  const account = await openQueue();
  const { id, receipt } = await put(account, 'a');
  const bytes = Buffer.from(receipt, 'base64');
  for (const at of [17, 20, 23]) {
    const forged = Buffer.from(bytes);
    forged.writeUInt8(forged.readUInt8(at) ^ 1, at);
    await refusalOf('PopReceiptMismatch', remove(account, { id, receipt: forged.toString('base64') }));
  }
  await outcomeOf('messageDeleted', remove(account, { id, receipt }));
});
