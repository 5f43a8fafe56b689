// Headers that become properties of a blob, the level of public access, and tags as a header and as a document, with their limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import {
  contentPropertiesOf,
  formatTagSet,
  formatTags,
  parseTags,
  propertiesOfBody,
  publicAccessOf,
  tagsOfHeader,
  withType,
} from './content-headers.js';

const PLAIN = {
  'content-type': 'a/plain',
  'content-encoding': 'plain',
  'content-language': 'pl',
  'cache-control': 'plain',
  'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const OWN = {
  'x-ms-blob-content-type': 'a/own',
  'x-ms-blob-content-encoding': 'own',
  'x-ms-blob-content-language': 'ow',
  'x-ms-blob-content-disposition': 'own',
  'x-ms-blob-cache-control': 'own',
  'x-ms-blob-content-md5': 'AQEBAQEBAQEBAQEBAQEBAQ==',
};
const OF_OWN = {
  contentType: 'a/own',
  contentEncoding: 'own',
  contentLanguage: 'ow',
  contentDisposition: 'own',
  cacheControl: 'own',
  contentMd5: Buffer.alloc(16, 1),
};
const NOTHING = {
  contentType: undefined,
  contentEncoding: undefined,
  contentLanguage: undefined,
  contentDisposition: undefined,
  cacheControl: undefined,
  contentMd5: undefined,
};

test("the service's own headers win over those of the body", () => {
  assert.deepEqual(propertiesOfBody({ ...PLAIN, ...OWN }), OF_OWN);
  assert.deepEqual(propertiesOfBody(PLAIN), {
    ...NOTHING,
    contentType: 'a/plain',
    contentEncoding: 'plain',
    contentLanguage: 'pl',
    cacheControl: 'plain',
  });
});

test('headers of a body that is no content say nothing of the blob', () => {
  const type = { ...NOTHING, contentType: 'application/octet-stream' };
  assert.deepEqual(withType(PLAIN), type);
  assert.deepEqual(propertiesOfBody({}), type);
  assert.deepEqual(withType({ ...PLAIN, ...OWN }), OF_OWN);
});

test('properties that are set alone: what is not sent is cleared', () => {
  assert.deepEqual(contentPropertiesOf(PLAIN), NOTHING);
  assert.deepEqual(contentPropertiesOf(OWN), OF_OWN);
});

test('sums that are kept are base64', () => {
  for (const text of ['x', '='.repeat(24), `${'A'.repeat(22)}`, '-'.repeat(22)])
    assert.throws(() => contentPropertiesOf({ 'x-ms-blob-content-md5': text }), { code: 'InvalidMd5' }, text);
});

test('the level of public access', () => {
  const level = (text: string) => publicAccessOf({ 'x-ms-blob-public-access': text });
  assert.equal(publicAccessOf({}), 'private');
  assert.equal(level(''), 'private');
  assert.equal(level('Container'), 'container');
  assert.equal(level('blob'), 'blob');
  assert.equal(level('true'), 'container');
  for (const text of ['x', 'private', 'false', 'blob,container'])
    assert.throws(() => level(text), { code: 'InvalidHeaderValue' }, text);
});

const refusal = codesOf(ServiceError);

const tag = (key: string, value: string): string => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
const parse = (tags: string) => parseTags(Buffer.from(`<Tags><TagSet>${tags}</TagSet></Tags>`));
const ofHeader = (text: string) => tagsOfHeader({ 'x-ms-tags': text });
const many = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);

describe('tags', () => {
  test('in their order by key', () => {
    const tags = [
      ['A', ''],
      ['a b', '1'],
      ['b', ' +-./:=_'],
    ];
    assert.deepEqual(parse(tag('b', ' +-./:=_') + tag('A', '') + tag('a b', '1')), tags);
    assert.deepEqual(ofHeader('b=%20%2B-./:%3D_&A=&a+b=1'), tags);
    assert.deepEqual(tagsOfHeader({}), []);
    for (const text of ['<Tags/>', '<Tags><TagSet/></Tags>', '\ufeff<Tags> <TagSet> </TagSet></Tags>'])
      assert.deepEqual(parseTags(Buffer.from(text)), []);
  });

  test('at most ten', () => {
    for (const [count, expected] of [
      [9, 'none'],
      [10, 'none'],
      [11, 'TagsTooLarge'],
    ] as const) {
      const keys = many(count);
      assert.equal(
        refusal(() => parse(keys.map(key => tag(key, 'v')).join(''))),
        expected,
      );
      assert.equal(
        refusal(() => ofHeader(keys.map(key => `${key}=v`).join('&'))),
        expected,
      );
    }
  });

  test('of few characters, each key once', () => {
    for (const text of ['é', '!', '\n', '<', '*', '"', '😀', '\0']) {
      assert.equal(
        refusal(() => ofHeader(`${encodeURIComponent(text)}=v`)),
        'InvalidTag',
        text,
      );
      assert.equal(
        refusal(() => ofHeader(`k=${encodeURIComponent(text)}`)),
        'InvalidTag',
        text,
      );
    }
    assert.equal(
      refusal(() => parse(tag('k', 'a') + tag('k', 'b'))),
      'InvalidTag',
    );
    assert.equal(
      refusal(() => parse(tag('k', 'a') + tag('K', 'b'))),
      'none',
    );
  });

  test('headers that are malformed', () => {
    for (const text of ['a', 'a=b=c', 'a=b&', '&a=b', '%zz=1', 'a=%80', '='.repeat(3)])
      assert.equal(
        refusal(() => ofHeader(text)),
        'InvalidHeaderValue',
        text,
      );
  });

  test('documents that are malformed', () => {
    const documents = [
      '',
      ' ',
      'x',
      '<Tags>',
      '<Other/>',
      '<Tags><TagSet/><TagSet/></Tags>',
      '<Tags><Tag/></Tags>',
      '<Tags><TagSet><Tag/></TagSet></Tags>',
      '<Tags><TagSet><Tag><Key>a</Key></Tag></TagSet></Tags>',
      '<Tags><TagSet><Tag><Value>a</Value></Tag></TagSet></Tags>',
      '<Tags><TagSet><Other/></TagSet></Tags>',
      '<Tags><TagSet>text</TagSet></Tags>',
      '<Tags><TagSet><Tag><Key><b/></Key><Value/></Tag></TagSet></Tags>',
      '<!DOCTYPE a [<!ENTITY b "c">]><Tags>&b;</Tags>',
    ];
    for (const text of documents)
      assert.equal(
        refusal(() => parseTags(Buffer.from(text))),
        'InvalidXmlDocument',
        text,
      );
  });

  test('are written as they are read', () => {
    const tags = [
      ['a', ''],
      ['b', '1 2'],
    ] as const;
    assert.deepEqual(parseTags(Buffer.from(formatTags(tags))), tags);
    assert.equal(formatTagSet([]), '<Tags><TagSet /></Tags>');
    assert.equal(formatTagSet([['a', '']]), '<Tags><TagSet><Tag><Key>a</Key><Value /></Tag></TagSet></Tags>');
  });
});
