// How properties are put into rows, at each limit, and what the definition of a wide entity refuses.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encrypted } from '../../encryption.js';
import { codec, entity, key, t } from '../../index.js';
import { encodeProperty, type WireProperty } from '../../internals.js';
import { law } from '../../testing/law.js';
import { refuses, refusesDefinition } from '../../testing/refuses.js';
import { keyBytes } from '../../values/wire-property.js';
import { wide } from '../../wide.js';
import { checkKeyLength, keyOfPiece, pack, pieceOfKey } from './wide-rows.js';

const address = { table: 'Wide', partitionKey: 'p', rowKey: 'r' };
const numbers = (count: number): readonly WireProperty[] =>
  Array.from({ length: count }, (_, at) => encodeProperty(`n${at}`, 'Int32', 1));
const bytes = (count: number, each: number): readonly WireProperty[] =>
  Array.from({ length: count }, (_, at) => encodeProperty(`b${at}`, 'Binary', new Uint8Array(each)));
const sizes = (properties: readonly WireProperty[]): readonly number[] =>
  pack('Wide', address, properties).map(piece => piece.length);

describe('rows', () => {
  test('are filled one after the other, each up to 252 properties with its own', () => {
    assert.deepEqual(sizes(numbers(248)), [248]);
    assert.deepEqual(sizes(numbers(249)), [249]);
    assert.deepEqual(sizes(numbers(250)), [249, 1]);
    assert.deepEqual(sizes(numbers(249 + 250)), [249, 250]);
    assert.deepEqual(sizes(numbers(249 + 251)), [249, 250, 1]);
  });

  test('hold up to 1 MiB each', () => {
    const [first, ...others] = sizes(bytes(40, 65_536));
    assert.deepEqual([first, ...others], [15, 15, 10]);
  });

  test('are filled up to 1 MiB with what the library adds, and not a byte more', () => {
    for (const [reserved, before] of [
      [8_192, []],
      [1_024, numbers(249)],
    ] as const) {
      const most = bytes(15, 65_536);
      const keys = keyBytes('p', before.length === 0 ? 'r' : keyOfPiece('r', 1));
      const used = most.reduce((sum, { bytes: own }) => sum + own, keys + reserved);
      const last = (length: number) => encodeProperty('last', 'Binary', new Uint8Array(length));
      const room = 1_048_576 - used - last(0).bytes;
      for (const [length, added] of [
        [room - 1, []],
        [room, []],
        [room + 1, [1]],
      ] as const) {
        const expected = [...(before.length === 0 ? [] : [249]), added.length === 0 ? 16 : 15, ...added];
        assert.deepEqual(sizes([...before, ...most, last(length)]), expected, `${length} bytes`);
      }
    }
  });

  test('are a hundred at most, which one transaction writes', () => {
    const most = 249 + 99 * 250;
    assert.equal(sizes(numbers(most - 1)).length, 100);
    assert.equal(sizes(numbers(most)).length, 100);
    refuses(() => pack('Wide', address, numbers(most + 1)), 'TooLarge', /Wide, in 101 rows,/);
  });

  test('have every property once, in their order', () => {
    law(
      fc.property(fc.array(fc.nat({ max: 60_000 }), { maxLength: 300 }), lengths => {
        const all = lengths.map((length, at) => encodeProperty(`b${at}`, 'Binary', new Uint8Array(length)));
        const pieces = pack('Wide', address, all);
        assert.deepEqual(
          pieces.flat().map(({ name }) => name),
          all.map(({ name }) => name),
        );
        for (const piece of pieces) assert(piece.length <= 250);
      }),
      { cost: 20 },
    );
  });

  test('have keys between the first one and all that go on otherwise', () => {
    assert.equal(keyOfPiece('a', 0), 'a');
    assert.equal(keyOfPiece('a', 99), 'a 099');
    assert.deepEqual(pieceOfKey('a 099'), { first: 'a', number: 99 });
    assert.deepEqual(pieceOfKey('a'), { first: 'a', number: 0 });
    assert(keyOfPiece('a', 1) > 'a' && keyOfPiece('a', 99) < 'a!');
    checkKeyLength('Wide.row', 'x'.repeat(507));
    checkKeyLength('Wide.row', 'x'.repeat(508));
    refuses(() => checkKeyLength('Wide.row', 'x'.repeat(509)), 'TooLarge', /513 \(key\), and may have 512/);
  });
});

describe('definitions', () => {
  const props = { id: t.string() };
  const define = (more: object) =>
    wide('Wide', {
      version: 1,
      table: 'Wide',
      props,
      partition: key('p'),
      row: (p: never) => key('w', (p as never as { id: never }).id),
      ...more,
    } as never);

  test('are what a definition with more properties than a row is told to be', () => {
    const many = Array.from({ length: 252 }, (_, at) => [`n${at}`, t.int32()] as const);
    const one = { version: 1, table: 'Wide', partition: key('p'), row: key('r') } as const;
    refusesDefinition(
      () => entity('Full', { ...one, props: Object.fromEntries(many) }),
      /253 properties.*shelfmark-patterns\/wide/,
    );
  });

  test('that could not work are refused', () => {
    refusesDefinition(() => define({ tag: false }), /have a tag/);
    refusesDefinition(
      () => define({ props: { ...props, name: encrypted(t.string()) } }),
      /name is encrypted/,
    );
    refusesDefinition(() => define({ props: { ...props, _pieces: t.string() } }), /_pieces is a name/);
    refusesDefinition(
      () => define({ row: (p: { id: { as(codec: unknown): never } }) => key('w', p.id.as(codec.exact)) }),
      /a space stands before the number/,
    );
  });
});
