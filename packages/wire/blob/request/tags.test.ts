// Tags as a header and as a document, with their limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { formatTagSet, formatTags, parseTags, tagsOfHeader } from './content-headers.js';

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

  test('keys of 1 to 128 characters and values of up to 256', () => {
    const code = (key: number, value: number) =>
      refusal(() => ofHeader(`${'k'.repeat(key)}=${'v'.repeat(value)}`));
    assert.equal(code(0, 1), 'EmptyTagName');
    for (const [key, value] of [
      [1, 0],
      [127, 255],
      [128, 256],
    ] as const)
      assert.equal(code(key, value), 'none');
    assert.equal(code(129, 1), 'TagsTooLarge');
    assert.equal(code(1, 257), 'TagsTooLarge');
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
