// The JSON reader against JSON.parse: it accepts the same texts, with members in order and numbers as written, and refuses all
// others with a TableError, for any bytes (protocol: json#reading).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import { type Member, readObject } from './read-entity.js';

const read = (text: string): readonly Member[] => readObject(Buffer.from(text)).members;
/** Without the literals. */
const plainly = (text: string) =>
  read(text).map(({ name, kind, text: value }) => ({ name: name.name, kind, text: value }));
const assertMalformed = (body: string | Buffer): void =>
  assert.throws(
    () => readObject(typeof body === 'string' ? Buffer.from(body) : body),
    { name: 'TableError', code: 'InvalidInput:Body' },
    String(body).slice(0, 80),
  );

test('members in order, each with its kind and text', () => {
  const text = '{"s":"x","n":-1.50e+3,"t":true,"f":false,"z":null,"o":{"a":[1,{}]},"l":[],"s":"again","":""}';
  assert.deepEqual(plainly(text), [
    { name: 's', kind: 'string', text: 'x' },
    { name: 'n', kind: 'number', text: '-1.50e+3' },
    { name: 't', kind: 'boolean', text: 'true' },
    { name: 'f', kind: 'boolean', text: 'false' },
    { name: 'z', kind: 'null', text: '' },
    { name: 'o', kind: 'other', text: '' },
    { name: 'l', kind: 'other', text: '' },
    { name: 's', kind: 'string', text: 'again' },
    { name: '', kind: 'string', text: '' },
  ]);
  assert.deepEqual(read('{}'), []);
});

test('blanks anywhere between tokens, line breaks before the body, a byte order mark', () => {
  const expected = [{ name: 'a', kind: 'number', text: '1' }];
  for (const text of ['\r\n{"a":1}', ' \t\n\r{ "a" : 1 } \r\n', '\ufeff{"a":1}', '\ufeff\r\n{"a":1}'])
    assert.deepEqual(plainly(text), expected);
  for (const text of ['\u00a0{"a":1}', '\ufeff\ufeff{"a":1}', '{"a":1}\0', '{\u2003"a":1}', '\v{"a":1}'])
    assertMalformed(text);
});

test('names are right, whatever the names of the previous object were', () => {
  const texts = [
    '{"a":1,"b":2}',
    '{"a":3,"b":4}',
    '{"a" :1,\n"b":2}',
    '{"ab":1,"b":2}',
    '{"b":1,"a":2}',
    '{"\\u0062":1,"a":2}',
    '{"b":{"a":1},"é":2}',
    '{"b":1,"é":2,"c":3}',
    '{"a":1,"a":2}',
  ];
  for (const text of texts) {
    const names = [...text.matchAll(/"([^"]+)" ?:(?!1})/g)].map(([, name]) => JSON.parse(`"${name}"`));
    assert.deepEqual(
      plainly(text).map(({ name }) => name),
      names,
      text,
    );
  }
  assertMalformed('{"a"1}');
  assertMalformed('{"a":');
});

test('whether its names are distinct, whatever the names of the previous objects were', () => {
  const objects: readonly (readonly [text: string, isDistinct: boolean])[] = [
    ['{"a":1,"b":2,"c":3}', true],
    ['{"a":1,"b":2,"c":3}', true],
    ['{"c":1}', true],
    ['{"c":1,"b":2,"c":3}', false],
    ['{"c":1,"b":2,"c":3}', false],
    ['{"c":1,"b":2}', true],
    ['{"c":1,"\\u0062":2,"b":3}', false],
    ['{"c":1,"b":2,"é":3,"é":4}', false],
    ['{}', true],
    ['{"c":1,"b":2,"d":3}', true],
    ['{"c":1,"b":2,"d":3}', true],
  ];
  for (const [text, isDistinct] of objects)
    assert.equal(readObject(Buffer.from(text)).hasDistinctNames, isDistinct, text);
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'é', 'x'.repeat(300)), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(names, { minLength: 1, maxLength: 8 }), lists => {
      for (const list of lists) {
        const text = `{${list.map(name => `"${name}":0`).join(',')}}`;
        const isDistinct = new Set(list).size === list.length;
        assert.equal(readObject(Buffer.from(text)).hasDistinctNames, isDistinct, text);
      }
    }),
  );
});

test('which literals are kept', () => {
  const literals = (text: string) => read(text).map(({ literal }) => literal);
  assert.deepEqual(literals('{"a":"x y","b":-1.50,"c":true,"d":null,"e":[]}'), [
    '"x y"',
    '-1.50',
    undefined,
    undefined,
    undefined,
  ]);
  const others = ['\\n', '\u007f', 'é', '\\u0041'];
  for (const other of others) assert.deepEqual(literals(`{"a":"x","b":"${other}"}`), [undefined, undefined]);
  for (let length = 0; length < 20; length++) {
    const text = 'x'.repeat(length);
    assert.deepEqual(literals(`{"a":"${text}"}`), [`"${text}"`]);
    for (let at = 0; at < length; at++) {
      const mutated = (unit: string) => `${text.slice(0, at)}${unit}${text.slice(at + 1)}`;
      assert.deepEqual(literals(`{"a":"${mutated('\u007f')}"}`), [undefined]);
      assertMalformed(`{"a":"${mutated('\u001f')}"}`);
      assertMalformed(Buffer.from(`{"a":"${mutated('\u0080')}"}`, 'latin1'));
    }
  }
});

test('bytes that are not UTF-8', () => {
  const around = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
  for (const bytes of [
    [0x80],
    [0xc3],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xff],
    [0xe2, 0x82],
  ])
    assertMalformed(around(...bytes));
  assert.equal(readObject(around(0xf0, 0x9f, 0x98, 0x80)).members[0]?.text, '😀');
  assertMalformed(Buffer.from('{"a":1}', 'utf16le'));
});

test('strings as long as a body, plain and escaped', () => {
  const length = 4 * 1_048_576 - 20;
  assert.equal(read(`{"a":"${'x'.repeat(length)}"}`)[0]?.text.length, length);
  assert.equal(read(`{"a":"\\n${'x'.repeat(length)}"}`)[0]?.text.length, length + 1);
  assert.equal(read(`{"a":"${'\\n'.repeat(length / 2)}"}`)[0]?.text.length, length / 2);
  assert.equal(read(`{"a":${'9'.repeat(length)}}`)[0]?.text.length, length);
  assertMalformed(`{"a":"${'x'.repeat(length)}`);
  assertMalformed(`{"a":"${'\\"'.repeat(length / 2)}`);
});

test('nesting has an end', () => {
  const nested = (open: string, close: string, depth: number) =>
    `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;
  for (const [open, close] of [
    ['[', ']'],
    ['{"b":', '}'],
  ] as const) {
    assert.equal(read(nested(open, close, 31))[0]?.kind, 'other');
    assertMalformed(nested(open, close, 32));
    assertMalformed(nested(open, close, 200_000));
    assertMalformed(`{"a":${open.repeat(200_000)}`);
  }
});

/** The result of JSON.parse: the members of the object, or undefined. */
function parsed(text: string): Map<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function meaningOf({ kind, text }: Member): unknown {
  if (kind === 'number') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'null' ? null : text;
}

/** Both agree on a text. */
function assertAgrees(text: string): void {
  const expected = parsed(text);
  if (!expected) {
    assertMalformed(text);
    return;
  }
  const found = new Map(read(text).map(member => [member.name.name, member]));
  assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort());
  for (const [name, member] of found) {
    const value = expected.get(name);
    if (member.kind === 'other') assert.ok(typeof value === 'object' && value !== null);
    else assert.deepEqual(meaningOf(member), value);
  }
}

/** Texts without halves of surrogate pairs: only they survive as UTF-8. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;
const wellFormed = fc.string({ unit: codePoint }).filter(isWellFormed);
const json = fc
  .dictionary(wellFormed, fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { noNullPrototype: true })
  .map(value => JSON.stringify(value));

test('it accepts and refuses what JSON.parse does: texts that are no objects, odd values, escapes', () => {
  const texts = `null [] "{}" 1 { } {}{} {}, {"a"} {"a":} {"a":1,} {,} {a:1} {'a':1} {"a":1"b":2} {"a"=1} {"a":1/*c*/}`;
  const values = String.raw`01 +1 .5 1. 1e 1e+ - --1 0x10 1_000 NaN Infinity -Infinity True tru truee nul undefined ٣
    0 -0 0.0 1E5 1e-5 [1,] [,] {] "\" "\x41" "\u12" "\u12g4" "\U0041" "\'" "a\" "\"\\\/\b\f\n\r\t"
    "\u00e9\uA015" "\ud83d\ude00" "\ud83d" "\u0000" "é😀"`;
  for (const text of ['', ' ', ...texts.split(' ')]) assertAgrees(text);
  for (const value of [
    '1 2',
    '"\n"',
    '"\t"',
    '"\0"',
    '"\u001f"',
    '"\u007f\u2028"',
    '9'.repeat(400),
    ...values.split(/\s+/),
  ])
    assertAgrees(`{"a":${value}}`);
  assertAgrees(String.raw`{"\u00e9\"":1,"\ud83d":2}`);
});

test('it accepts and refuses what JSON.parse does, with tokens in any order', () => {
  const token = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b"',
      '"',
      '\\',
      '\\u00',
      '1',
      '-',
      '.5',
      'e',
      '0',
      'true',
      'null',
      ' ',
      '\n',
      '\u0001',
    ],
  );
  const soup = fc.array(token, { maxLength: 12 }).map(tokens => tokens.join(''));
  const inside = soup.map(text => `{"a":${text}}`);
  const members = fc.array(fc.constantFrom('"a":1', '"b":[]', ',', '"c":"\\u0041"', ' '), { maxLength: 6 });
  const listed = members.map(list => `{${list.join('')}}`);
  fc.assert(fc.property(fc.oneof(soup, inside, listed), assertAgrees), { numRuns: randomRuns(5_000) });
});

test('it accepts and refuses what JSON.parse does, with one character changed', () => {
  const unit = fc.oneof(fc.constantFrom(...'{}[]:,"\\0.-eu \n\t'), fc.string({ minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(json, fc.nat(), fc.nat({ max: 2 }), unit, (text, at, removed, added) => {
      const place = at % text.length;
      const changed = text.slice(0, place) + added + text.slice(place + removed);
      fc.pre(isWellFormed(changed) && !changed.startsWith('\ufeff'));
      assertAgrees(changed);
    }),
    { numRuns: randomRuns(3_000) },
  );
});
