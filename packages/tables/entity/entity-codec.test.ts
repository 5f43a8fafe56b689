// The stored form of entities: everything reads back as it was, the form itself is pinned, and what is broken is named corrupt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { properties } from '../testing/edm.js';
import type { Property } from './edm.js';
import { formatLiteral } from './edm-text.js';
import {
  decodeEntity,
  FLAG_ANNOTATED,
  FLAG_ESCAPED,
  HEADER_BYTES,
  storedName,
  storedProperties,
} from './entity-codec.js';
import { encodeEntity } from './entity-encoder.js';

test('the directory names each property and its place', () => {
  fc.assert(
    fc.property(properties, list => {
      const bytes = encodeEntity(list);
      const found = storedProperties(bytes);
      assert.deepEqual(
        found.map(stored => storedName(bytes, stored)),
        list.map(property => property.name),
      );
      const literals = found.map(({ literalAt, literalLength }) =>
        bytes.toString('latin1', literalAt, literalAt + literalLength),
      );
      assert.deepEqual(literals, list.map(formatLiteral));
    }),
  );
});

test('which types are annotated at minimal metadata, and which literals hold an escape', () => {
  const flagged = (property: Property) => encodeEntity([property])[HEADER_BYTES + 1];
  const cases: readonly (readonly [Property, number])[] = [
    [{ name: 'a', type: 'Edm.String', value: 'plain' }, 0],
    [{ name: 'a', type: 'Edm.String', value: 'é' }, FLAG_ESCAPED],
    [{ name: 'é', type: 'Edm.String', value: 'plain' }, 0],
    [{ name: 'a', type: 'Edm.Int32', value: 1 }, 0],
    [{ name: 'a', type: 'Edm.Boolean', value: true }, 0],
    [{ name: 'a', type: 'Edm.Double', value: 1 }, 0],
    [{ name: 'a', type: 'Edm.Double', value: Number.NaN }, FLAG_ANNOTATED],
    [{ name: 'a', type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }, FLAG_ANNOTATED],
    [{ name: 'a', type: 'Edm.Int64', value: 1n }, FLAG_ANNOTATED],
    [{ name: 'a', type: 'Edm.DateTime', value: 1n }, FLAG_ANNOTATED],
    [{ name: 'a', type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' }, FLAG_ANNOTATED],
    [{ name: 'a', type: 'Edm.Binary', value: Buffer.of(1) }, FLAG_ANNOTATED],
  ];
  for (const [property, flags] of cases) assert.equal(flagged(property), flags, formatLiteral(property));
});

test('the largest entities: 252 properties, 64 KiB values, names of 255 letters that each need an escape', () => {
  const many = Array.from(
    { length: 252 },
    (_, i): Property => ({ name: `p${i}`, type: 'Edm.Int32', value: i }),
  );
  assert.deepEqual(decodeEntity(encodeEntity(many)), many);
  const large: Property[] = [
    { name: 'ascii', type: 'Edm.String', value: 'x'.repeat(32_768) },
    { name: 'escaped', type: 'Edm.String', value: '\ud83d\ude00'.repeat(16_384) },
    { name: 'binary', type: 'Edm.Binary', value: Buffer.alloc(65_536, 0xa5) },
    { name: '名'.repeat(255), type: 'Edm.Boolean', value: true },
  ];
  assert.deepEqual(decodeEntity(encodeEntity(large)), large);
  assert.deepEqual(decodeEntity(encodeEntity([])), []);
});

test('the stored form is what later versions must read', () => {
  const list: Property[] = [
    { name: 'n', type: 'Edm.Int32', value: -1 },
    { name: 'é', type: 'Edm.String', value: 'é' },
  ];
  const header = '01000200';
  const number = '0100010002000000ffffffff00000000';
  const text = '00010600080000000100000000000000';
  const directory = Buffer.from(header + number + text, 'hex');
  const bytes = Buffer.concat([directory, Buffer.from(',"n":-1,"\\u00e9":"\\u00e9"')]);
  assert.equal(encodeEntity(list).toString('hex'), bytes.toString('hex'));
  assert.deepEqual(decodeEntity(bytes), list);
});

test('another format, an unknown type and a value that is none are corrupt', () => {
  const bytes = encodeEntity([
    { name: 'g', type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
  ]);
  const changed = (at: number, byte: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy;
  };
  const broken = [Buffer.of(), changed(0, 0), changed(0, 2), changed(4, 8), changed(bytes.length - 2, 0x67)];
  for (const value of broken)
    assert.throws(() => decodeEntity(value), { name: 'StoreError', code: 'corrupt' });
});

test('a worked example of the stored form', () => {
  const bytes = encodeEntity([
    { name: 'age', type: 'Edm.Int32', value: 39 },
    { name: 'city', type: 'Edm.String', value: 'Köln' },
  ]);
  assert.equal(
    bytes.toString('hex'),
    '01000200' +
      '01000300020000002700000000000000' +
      '000104000b0000000400000000000000' +
      Buffer.from(',"age":39,"city":"K\\u00f6ln"').toString('hex'),
  );
});
