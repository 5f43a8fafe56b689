// The form of a signature: its 44 characters, no more and no fewer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signatureFault } from './signature.js';

const FORM = 'Signature fields not well formed.';
const GOOD = 'z8J6vZ+uQUEZqYJ3/HZnt3s+jlpxX8f/dXdj4ZR8cg0=';

test('what a lenient decoder takes for the same bytes', () => {
  const bytes = Buffer.from(GOOD, 'base64');
  const same = [
    GOOD.slice(0, -1),
    `${GOOD}=`,
    `${GOOD} `,
    ` ${GOOD}`,
    `${GOOD}\n`,
    GOOD.replace('+', ' +'),
    GOOD.replaceAll('+', '-').replaceAll('/', '_'),
    bytes.toString('base64url'),
    GOOD.replace('0=', '1='),
    GOOD.replace('0=', '3='),
    `${GOOD}AAAA`,
    `${GOOD.slice(0, 20)}!${GOOD.slice(20)}`,
    `${GOOD},${GOOD}`,
  ];
  for (const text of same) assert.equal(signatureFault(text), FORM, JSON.stringify(text));
  const decoded = same.filter(text => Buffer.from(text, 'base64').equals(bytes));
  assert.ok(decoded.length >= 10, 'most of these are the same bytes to Node');
});

test('one text for each signature', () => {
  const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(anyBytes, fc.nat(43), fc.string({ minLength: 1, maxLength: 1 }), (bytes, at, character) => {
      const text = Buffer.from(bytes).toString('base64');
      const other = text.slice(0, at) + character + text.slice(at + 1);
      if (signatureFault(other) === undefined)
        assert.equal(Buffer.from(other, 'base64').toString('base64'), other);
    }),
  );
});
