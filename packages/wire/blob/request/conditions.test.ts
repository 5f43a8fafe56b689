// Conditional headers: each alone, the permitted combinations, and malformed values.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codesOf } from '#account/testing';
import { BlobError } from '#blobs';
import {
  appendBlockConditionsOf,
  conditionsOf,
  containerConditionsOf,
  pageConditionsOf,
  parseEtags,
  quotedEtag,
  readConditionsOf,
  sourceConditionsOf,
} from './conditions.js';
import type { Headers } from './header-values.js';

const DATE = 'Wed, 01 Jan 2020 01:02:00 GMT';
const TICK = BigInt(Date.parse(DATE)) * 10_000n;
const NONE = [-1n];
const GUID = '0123abcd-0123-4567-89ab-0123456789ab';
const HEXADECIMAL = '{0x0123abcd,0x0123,0x4567,{0x89,0xab,0x01,0x23,0x45,0x67,0x89,0xab}}';

const refusal = codesOf(BlobError);

describe('ETags', () => {
  test('a star is any, alone or among others', () => {
    for (const text of ['*', ' * ', '"0x1", *']) assert.equal(parseEtags(text), 'any');
    assert.deepEqual(parseEtags('"*"'), NONE);
  });

  test('what is none is the ETag of no blob', () => {
    const none = ['x', '"', '""', '0x', '"0x"', '0xG', 'W/"0x8D6"', `"0x${'F'.repeat(17)}"`, '1', "'0x1'"];
    for (const text of none) assert.deepEqual(parseEtags(text), NONE, text);
    assert.deepEqual(parseEtags(','), [...NONE, ...NONE]);
  });

  test('Append Block reads them as times since 1601', () => {
    const code = (text: string) => refusal(() => appendBlockConditionsOf({ 'if-match': text }));
    for (const text of ['*', 'x', quotedEtag(TICK), '"0x701CE1722770000"'])
      assert.equal(code(text), 'none', text);
    for (const text of ['0x0', '"0x111111111111"', '"0x701CE172276FFFF"'])
      assert.equal(code(text), 'OutOfRangeInput', text);
    assert.equal(code(''), 'none');
  });
});

const ALONE: readonly (readonly [name: string, value: string])[] = [
  ['if-match', 'x'],
  ['if-none-match', 'x'],
  ['if-modified-since', DATE],
  ['if-unmodified-since', DATE],
];
const TOGETHER = new Set(['if-match if-unmodified-since', 'if-none-match if-modified-since']);

describe('conditions of a blob', () => {
  test('none', () => {
    const none = {
      ifMatch: undefined,
      ifNoneMatch: undefined,
      ifModifiedSince: undefined,
      ifUnmodifiedSince: undefined,
      ifTags: undefined,
      leaseId: undefined,
    };
    assert.deepEqual(conditionsOf({}), none);
    assert.deepEqual(conditionsOf({ 'if-match': '', 'if-modified-since': '', 'x-ms-lease-id': '' }), none);
    assert.deepEqual(sourceConditionsOf({ 'if-match': 'x', 'x-ms-if-tags': 'x' }), none);
  });

  test('each header alone, and no other in its place', () => {
    assert.deepEqual(conditionsOf({ 'if-match': quotedEtag(TICK) }).ifMatch, [TICK]);
    assert.equal(conditionsOf({ 'if-none-match': '*' }).ifNoneMatch, 'any');
    assert.equal(conditionsOf({ 'if-modified-since': DATE }).ifModifiedSince, TICK);
    assert.equal(conditionsOf({ 'if-unmodified-since': DATE }).ifUnmodifiedSince, TICK);
    const tags = conditionsOf({ 'x-ms-if-tags': `"a"='b'` }).ifTags;
    assert.deepEqual(tags, { kind: 'compare', key: 'a', operator: '=', value: 'b' });
    for (const text of [GUID, `{${GUID}}`, `(${GUID})`, GUID.replaceAll('-', '').toUpperCase(), HEXADECIMAL])
      assert.equal(conditionsOf({ 'x-ms-lease-id': text }).leaseId, GUID);
  });

  test('two or more go together only as documented, on the blob and on the source', () => {
    for (let bits = 0; bits < 16; bits++) {
      const some = ALONE.filter((_, i) => (bits & (1 << i)) !== 0);
      const names = some.map(([name]) => name).join(' ');
      const expected =
        some.length < 2 || TOGETHER.has(names) ? 'none' : 'MultipleConditionHeadersNotSupported';
      assert.equal(
        refusal(() => conditionsOf(Object.fromEntries(some))),
        expected,
        names,
      );
      const source = Object.fromEntries(some.map(([name, value]) => [`x-ms-source-${name}`, value]));
      assert.equal(
        refusal(() => sourceConditionsOf(source)),
        expected,
        names,
      );
    }
  });

  test('of a pair the ETag alone counts, and reads take all', () => {
    const all = Object.fromEntries(ALONE);
    const { ifMatch, ifUnmodifiedSince } = conditionsOf({ 'if-match': '*', 'if-unmodified-since': DATE });
    assert.deepEqual([ifMatch, ifUnmodifiedSince], ['any', undefined]);
    const none = conditionsOf({ 'if-none-match': '*', 'if-modified-since': DATE });
    assert.deepEqual([none.ifNoneMatch, none.ifModifiedSince], ['any', undefined]);
    const read = readConditionsOf(all);
    assert.deepEqual(
      [read.ifMatch, read.ifNoneMatch, read.ifModifiedSince, read.ifUnmodifiedSince],
      [NONE, NONE, TICK, TICK],
    );
  });

  test('dates, leases and expressions that cannot be read', () => {
    const bad: readonly Headers[] = [
      { 'if-modified-since': 'x' },
      { 'if-unmodified-since': '2020-01-01' },
      { 'if-modified-since': 'Wed, 32 Jan 2020 01:02:00 GMT' },
      { 'x-ms-lease-id': 'x' },
      { 'x-ms-lease-id': `${GUID}0` },
      { 'x-ms-lease-id': '00000000000000000000-00009A8DF540' },
      { 'x-ms-if-tags': 'x' },
    ];
    for (const headers of bad)
      assert.equal(
        refusal(() => conditionsOf(headers)),
        'InvalidHeaderValue',
        JSON.stringify(headers),
      );
  });
});

test('containers have no conditions on ETags', () => {
  for (const name of ['if-match', 'if-none-match'])
    assert.equal(
      refusal(() => containerConditionsOf({ [name]: '*' })),
      'ConditionHeadersNotSupported',
    );
  const headers = { 'if-modified-since': DATE, 'if-unmodified-since': DATE, 'x-ms-lease-id': GUID };
  assert.deepEqual(containerConditionsOf(headers), {
    ifModifiedSince: TICK,
    ifUnmodifiedSince: TICK,
    leaseId: GUID,
  });
});

test('sequence numbers are 63 bits', () => {
  const max = '9223372036854775807';
  const { sequenceNumberAtMost, sequenceNumberBelow, sequenceNumberEqual } = pageConditionsOf({
    'x-ms-if-sequence-number-le': '0',
    'x-ms-if-sequence-number-lt': max,
    'x-ms-if-sequence-number-eq': '007',
  });
  assert.deepEqual(
    [sequenceNumberAtMost, sequenceNumberBelow, sequenceNumberEqual],
    [0n, 9223372036854775807n, 7n],
  );
  for (const text of ['-', '-1.5', '9223372036854775808', '1.0', '1e3', 'x', `${max}0`, ' 1'])
    assert.equal(
      refusal(() => pageConditionsOf({ 'x-ms-if-sequence-number-le': text })),
      'InvalidHeaderValue',
      text,
    );
});
