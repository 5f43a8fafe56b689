// The document around the entries of a list: what was asked is repeated, escaped so that a parser reads it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedElements, documentText, elementOf, listDocument } from './storage-list-xml.js';
import { parseXml } from './xml.js';

const LIST = {
  name: 'Things',
  endpoint: 'http://h/acc',
  asked: '',
  format: elementOf.bind(undefined, 'Thing'),
};

const textOf = (entries: readonly string[], more: object = {}): string =>
  documentText(listDocument({ ...LIST, entries, nextMarker: undefined, ...more }));

test('lists without and with entries', () => {
  const head = '\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint=';
  assert.equal(textOf([]), `${head}"http://h/acc/"><Things /><NextMarker /></EnumerationResults>`);
  assert.equal(
    textOf(['a', '<'], { endpoint: 'http://"<&', container: '"', asked: '<Where />', nextMarker: '&' }),
    `${head}"http://&quot;&lt;&amp;/" ContainerName="&quot;"><Where /><Things><Thing>a</Thing><Thing>&lt;</Thing></Things><NextMarker>&amp;</NextMarker></EnumerationResults>`,
  );
});

test('what was asked is repeated where it was given, and a parser reads it back', () => {
  const asked = { prefix: 'p\r<', marker: 'm\r\n' };
  assert.equal(askedElements(new Map([['prefix', '']]), undefined), '');
  const { children } = parseXml(
    Buffer.from(textOf([], { asked: askedElements(new Map(Object.entries(asked)), 2) })),
  );
  assert.deepEqual(
    children.map(({ name, text }) => [name, text]),
    [
      ['Prefix', asked.prefix],
      ['Marker', asked.marker],
      ['MaxResults', '2'],
      ['Things', ''],
      ['NextMarker', ''],
    ],
  );
});
