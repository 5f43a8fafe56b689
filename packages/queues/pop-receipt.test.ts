// Pop receipts: round trip, and the refusal of malformed ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatReceipt, nonceOf, parseReceipt } from './pop-receipt.js';

const tick = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
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

test('the nonce is taken from the random digits of a GUID', () => {
  assert.equal(nonceOf('00000000-0000-4000-8012-3456789abcde').toString('hex'), '123456789abcde');
});
