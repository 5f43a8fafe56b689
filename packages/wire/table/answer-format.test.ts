// The caller's format of the answer: metadata level, projection, preference (protocol: requests#headers, json#choosing-the-format,
// queries#projection).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableError, type TableErrorCode } from '#tables';
import { parseQuery } from '../shared/target.js';
import { lenientFormat, type MetadataLevel, parseResponseFormat } from './answer.js';

/** The level, or the code of the refusal. */
function level(accept: string | undefined, query = ''): MetadataLevel | TableErrorCode {
  try {
    return parseResponseFormat({ method: 'GET', headers: { accept } }, parseQuery(query)).level;
  } catch (error) {
    assert.ok(error instanceof TableError);
    return error.code;
  }
}

const LEVELS: readonly (readonly [string | undefined, MetadataLevel])[] = [
  ['application/json;odata=nometadata', 'nometadata'],
  ['application/json;odata=minimalmetadata', 'minimalmetadata'],
  ['application/json;odata=fullmetadata', 'fullmetadata'],
  ['application/json', 'minimalmetadata'],
  ['application/json; odata=fullmetadata', 'fullmetadata'],
  ['application/json ; ODATA = NoMetadata; charset=utf-8', 'nometadata'],
  ['application/json;odata="nometadata"', 'nometadata'],
  ['Application/JSON;odata=nometadata', 'nometadata'],
  ['application/json;odata=verbose', 'minimalmetadata'],
  ['application/json;odata=constructor', 'minimalmetadata'],
  ['*/*', 'minimalmetadata'],
  ['application/*;q=0.8', 'minimalmetadata'],
  [undefined, 'minimalmetadata'],
  ['', 'minimalmetadata'],
  ['application/atom+xml,application/json;odata=nometadata;q=0.9', 'nometadata'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'minimalmetadata'],
];

test('the level that Accept asks for', () => {
  for (const [accept, expected] of LEVELS) assert.equal(level(accept), expected, accept);
});

test('formats that are not served', () => {
  const refused: readonly (readonly [string, TableErrorCode])[] = [
    ['application/atom+xml', 'AtomFormatNotSupported'],
    ['application/atom+xml;type=feed, application/xml', 'AtomFormatNotSupported'],
    ['text/plain', 'MediaTypeNotSupported'],
    ['image/png, text/html', 'MediaTypeNotSupported'],
  ];
  for (const [accept, code] of refused) assert.equal(level(accept), code, accept);
});

test('$format takes precedence over Accept, unless it is empty', () => {
  const none = '$format=application%2Fjson%3Bodata%3Dnometadata';
  assert.equal(level('application/json;odata=fullmetadata', none), 'nometadata');
  assert.equal(level('application/atom+xml', none), 'nometadata');
  assert.equal(level('application/atom+xml', '%24format=json'), 'minimalmetadata');
  assert.equal(level('application/json', '$format=atom'), 'AtomFormatNotSupported');
  assert.equal(level('application/json;odata=fullmetadata', '$format='), 'fullmetadata');
});

const GET = { method: 'GET', headers: {} };
const select = (text: string) => {
  const { select: names, selectSuffix } = parseResponseFormat(GET, new Map([['$select', text]]));
  return [names, selectSuffix];
};

test('the names of a projection, and how odata.metadata repeats them', () => {
  const { select: all, selectSuffix } = parseResponseFormat(GET, new Map());
  assert.deepEqual([all, selectSuffix], [undefined, '']);
  assert.deepEqual(select('a'), [['a'], '&$select=a']);
  assert.deepEqual(select('b,a,b'), [['b', 'a', 'b'], '&$select=b,a,b']);
  assert.deepEqual(select(' a , é '), [['a', 'é'], '&$select=a,é']);
  assert.deepEqual(select(''), [undefined, '&$select=']);
  assert.deepEqual(select(' '), [undefined, '&$select=']);
  assert.deepEqual(select('*'), [undefined, '&$select=*']);
  assert.deepEqual(select('a,,b'), [['a', 'b'], '&$select=a,,b']);
});

test('255 names of a projection', () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`).join(',');
  for (const count of [254, 255]) assert.deepEqual(select(names(count))[0], names(count).split(','));
  assert.throws(() => select(names(256)), { name: 'TableError', code: 'InvalidInput' });
});

test('a preference counts with POST only', () => {
  const prefer = (method: string, text: string) =>
    parseResponseFormat({ method, headers: { prefer: text } }, new Map()).prefer;
  assert.equal(prefer('POST', 'return-no-content'), 'return-no-content');
  assert.equal(prefer('POST', ' Return-Content '), 'return-content');
  assert.equal(prefer('POST', 'respond-async'), undefined);
  for (const method of ['PUT', 'GET', 'MERGE']) assert.equal(prefer(method, 'return-no-content'), undefined);
});

test('for an error: the same levels, and never a refusal', () => {
  const lenient = (accept: string | undefined, target = '/account1/T') =>
    lenientFormat({ method: 'POST', headers: { accept, prefer: 'return-content' } }, target);
  for (const [accept, expected] of LEVELS.filter(([text]) => !text?.includes('atom')))
    assert.equal(lenient(accept).level, expected, accept);
  assert.equal(lenient('application/atom+xml').level, 'minimalmetadata');
  const none = 'application%2Fjson%3Bodata%3Dnometadata';
  for (const query of [
    `?$format=${none}`,
    `?%24format=${none.replaceAll('%3D', '%3d')}`,
    `?a=%&$format=${none}&b`,
  ])
    assert.equal(
      lenient('application/json;odata=fullmetadata', `/account1/T${query}`).level,
      'nometadata',
      query,
    );
  assert.equal(lenient('application/json;odata=fullmetadata', '/a/T?$format=').level, 'fullmetadata');
  const { select: names, selectSuffix, prefer } = lenient(undefined);
  assert.deepEqual([names, selectSuffix, prefer], [undefined, '', 'return-content']);
});
