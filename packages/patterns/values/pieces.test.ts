// Long strings, bytes and JSON: in how many properties a value stands, that it comes back, and what is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { entity, key, type Of, t } from '../index.js';
import { decodeEntity, decodeProjected, encodeEntity, readRow, wireSelect, wireText } from '../internals.js';
import { law } from '../testing/law.js';
import { schemaOf } from '../testing/law-entity.js';
import { refuses, refusesDefinition } from '../testing/refuses.js';

const names = schemaOf<readonly string[]>(() => undefined);

const Doc = entity('Doc', {
  version: 1,
  table: 'Docs',
  props: {
    id: t.string(),
    text: t.string().long().optional(),
    file: t.bytes().optional().long(),
    names: t.json(names).long().stored('Names').optional(),
  },
  partition: key('docs'),
  row: p => key(p.id),
});

const rowOf = (value: Of<typeof Doc>) => readRow(wireText(encodeEntity(Doc, value)));
const storedNames = (value: Of<typeof Doc>): readonly string[] =>
  encodeEntity(Doc, value)
    .properties.map(({ name }) => name)
    .filter(name => name !== 'EntityType');
const readBack = (value: Of<typeof Doc>): Of<typeof Doc> => decodeEntity(Doc, rowOf(value)).value;

describe('a long value', () => {
  test('takes one property more at each limit', () => {
    for (const [length, pieces] of [
      [0, 1],
      [32_767, 1],
      [32_768, 1],
      [32_769, 2],
      [65_536, 2],
      [65_537, 3],
    ] as const) {
      const value = { id: 'a', text: 'x'.repeat(length) };
      assert.equal(storedNames(value).length, pieces, `${length} characters`);
      assert.deepEqual(readBack(value), value);
    }
    for (const [length, pieces] of [
      [65_535, 1],
      [65_536, 1],
      [65_537, 2],
      [131_072, 2],
      [131_073, 3],
    ] as const) {
      const value = { id: 'a', file: new Uint8Array(length).fill(7) };
      assert.equal(storedNames(value).length, pieces, `${length} bytes`);
      assert.deepEqual(readBack(value), value);
    }
  });

  test('stands under the name of its property, and that with numbers', () => {
    assert.deepEqual(storedNames({ id: 'a', names: ['x'.repeat(70_000)] }), [
      'Names',
      'Names__2',
      'Names__3',
    ]);
    assert.deepEqual(readBack({ id: 'a', names: ['x'.repeat(70_000)] }).names?.[0]?.length, 70_000);
  });

  test('is not cut within a character', () => {
    const text = `${'x'.repeat(32_767)}\u{1f600}${'y'.repeat(40_000)}\u{1f600}`;
    const pieces = encodeEntity(Doc, { id: 'a', text }).properties.filter(({ name }) =>
      name.startsWith('text'),
    );
    for (const { literal } of pieces) assert(JSON.parse(literal).isWellFormed());
    assert.equal(readBack({ id: 'a', text }).text, text);
  });

  test('of any length comes back', () => {
    const anyValue = fc.record({
      length: fc.nat({ max: 140_000 }),
      unit: fc.constantFrom('a', 'é', '\u{1f600}', '\ud800', 'ab\u{1f600}'),
    });
    law(
      fc.property(anyValue, ({ length, unit }) => {
        const text = unit.repeat(Math.ceil(length / unit.length));
        assert.equal(readBack({ id: 'a', text }).text, text);
      }),
      { cost: 50 },
    );
  });

  test('counts by its pieces, and a row of them has 1 MiB', () => {
    const { bytes: empty } = encodeEntity(Doc, { id: 'a', file: new Uint8Array(15 * 65_536) });
    // A sixteenth piece has a name of its own: file__16.
    const room = 1_048_576 - empty - (8 + 2 * 'file__16'.length + 4);
    const fileOf = (bytes: number) => ({ id: 'a', file: new Uint8Array(15 * 65_536 + bytes) });
    assert.equal(encodeEntity(Doc, fileOf(room - 1)).bytes, 1_048_575);
    assert.equal(encodeEntity(Doc, fileOf(room)).bytes, 1_048_576);
    refuses(
      () => encodeEntity(Doc, fileOf(room + 1)),
      'TooLarge',
      /Doc, of which file__10 has 65564 bytes.*entity bytes/,
    );
    refuses(() => encodeEntity(Doc, fileOf(17 * 65_536)), 'TooLarge', /Doc\.file has a size of .*\(binary\)/);
  });

  test('counts towards the 252 properties of a row', () => {
    const others = Object.fromEntries(Array.from({ length: 249 }, (_, at) => [`n${at}`, t.int32()] as const));
    const Full = entity('Full', {
      version: 1,
      table: 'Docs',
      props: { id: t.string(), text: t.string().long(), ...others },
      partition: key('full'),
      row: p => key(p.id),
    });
    const values = Object.fromEntries(Object.keys(others).map(name => [name, 1]));
    const fullOf = (length: number) => ({ id: 'a', text: 'x'.repeat(length), ...values }) as never;
    assert.equal(encodeEntity(Full, fullOf(32_768)).properties.length, 251);
    assert.equal(encodeEntity(Full, fullOf(32_769)).properties.length, 252);
    refuses(() => encodeEntity(Full, fullOf(65_537)), 'TooLarge', /253 \(properties\), and may have 252/);
  });

  test('is selected with all its pieces', () => {
    const row = rowOf({ id: 'a', text: 'x'.repeat(40_000) });
    const asked = new Set(wireSelect(Doc, ['text']));
    assert(asked.has('text__16') && !asked.has('file'));
    const kept = Object.fromEntries(
      Object.entries(row).filter(([name]) => asked.has(name.split('@')[0] ?? '')),
    );
    assert.equal(decodeProjected(Doc, kept, ['text']).value.text?.length, 40_000);
  });

  test('without one of its pieces is a drift', () => {
    const { text__2: _, ...row } = rowOf({ id: 'a', text: 'x'.repeat(70_000) });
    refuses(() => decodeEntity(Doc, row), 'TypeDrift', /its piece text__2 is missing/);
  });

  test('of an earlier version is whole for an upcast, under whatever name', () => {
    const text = 'x'.repeat(70_000);
    const old = rowOf({ id: 'a', text, file: new Uint8Array(70_000) });
    const Next = entity('Doc', {
      version: 2,
      table: 'Docs',
      props: { id: t.string(), body: t.string().long(), file: t.bytes().long() },
      partition: key('docs'),
      row: p => key(p.id),
      upcast: { 1: ({ text: body, ...others }) => ({ ...others, body }) },
    });
    const { value, unknown } = decodeEntity(Next, old);
    assert.equal(value.body, text);
    assert.equal(value.file.length, 70_000);
    assert.deepEqual(unknown, []);
  });
});

describe('definitions', () => {
  test('of long properties that could not be are refused', () => {
    refusesDefinition(() => t.int32().long(), /only a text, bytes or JSON is long/);
    refusesDefinition(() => t.string().long().long(), /only a text, bytes or JSON is long/);
    const define = (props: Parameters<typeof entity>[1]['props'], row = key('r')) =>
      entity('Bad', { version: 1, table: 'Docs', props, partition: key('p'), row: row as never });
    refusesDefinition(
      () => define({ a: t.string().long(), a__3: t.string() }),
      /two properties are called a__3/,
    );
    refusesDefinition(
      () => define({ a: t.string().long() }, key('r', { name: 'a', codec: undefined }) as never),
      /a is opaque, which has no order in keys/,
    );
  });
});
