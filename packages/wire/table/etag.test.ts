// ETags as Azure writes them (protocol: entities#etags), and the conditions of If-Match (protocol: entities#conditions).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATE_TIME_MAX, DATE_TIME_MIN } from '#base';
import { formatEtag } from './answer.js';
import { parseCondition } from './parse-operation.js';

const VECTORS: readonly (readonly [number, bigint, string])[] = [
  [Date.UTC(2017, 10, 10, 2, 44, 47), 6_221_962n, `W/"datetime'2017-11-10T02%3A44%3A47.6221962Z'"`],
  [Date.UTC(2017, 10, 10, 2, 43, 53), 1_118_290n, `W/"datetime'2017-11-10T02%3A43%3A53.111829Z'"`],
  [Date.UTC(2012, 10, 10, 3, 4, 5), 2_000_000n, `W/"datetime'2012-11-10T03%3A04%3A05.2Z'"`],
  [Date.UTC(2020, 0, 1, 1, 2, 0), 0n, `W/"datetime'2020-01-01T01%3A02%3A00Z'"`],
];

test('versions are written to the tick, without zeros at the end', () => {
  for (const [milliseconds, ticks, etag] of VECTORS)
    assert.equal(formatEtag(BigInt(milliseconds) * 10_000n + ticks), etag);
});

test('an etag reads back as its version, also where a client decoded the colons', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: DATE_TIME_MIN, max: DATE_TIME_MAX }), version => {
      const etag = formatEtag(version);
      for (const text of [etag, etag.replaceAll('%3A', ':'), etag.replaceAll('%3A', '%3a')])
        assert.deepEqual(parseCondition(text), { kind: 'version', version });
    }),
  );
});

test('a star matches any version, a weak etag in another form matches none', () => {
  assert.deepEqual(parseCondition('*'), { kind: 'any' });
  const none = [
    'W/"wrong"',
    'W/""',
    'W/"0x5B168C7B6E589D2"',
    `W/"datetime'soon'"`,
    `W/"datetime'0001-01-01T00%3A00%3A00Z'"`,
  ];
  for (const text of none)
    assert.deepEqual(parseCondition(text), { kind: 'version', version: undefined }, text);
});

test('anything else is refused, with the text as it was sent', () => {
  const two = `${VECTORS[0]?.[2]}, ${VECTORS[1]?.[2]}`;
  for (const etag of ['', 'abc', 'test', '"x"', 'W/x', 'W/"x', 'w/"x"', '**', '*, *', 'W/"a"b"', two, ' *']) {
    const expected = { name: 'TableError', code: 'InvalidInput:Etag', detail: { etag } };
    assert.throws(() => parseCondition(etag), expected, etag);
  }
});
