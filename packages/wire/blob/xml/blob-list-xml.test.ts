// Lists of blobs, of prefixes and of matches: names that XML cannot hold, and texts that have to be escaped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentText } from '../../shared/long-document.js';
import { parseXml } from '../../shared/xml.js';
import {
  blobListDocument,
  foundBlobsDocument,
  type ListedBlobs,
  type ListedMatches,
} from './blob-list-xml.js';

const formatBlobList = (list: ListedBlobs): string => documentText(blobListDocument(list));
const formatFoundBlobs = (list: ListedMatches): string => documentText(foundBlobsDocument(list));

const LIST: ListedBlobs = {
  endpoint: 'http://h/acc/',
  container: 'c',
  prefix: undefined,
  marker: undefined,
  pageSize: undefined,
  delimiter: undefined,
  entries: [],
  included: new Set(),
  version: '2019-02-02',
  nextMarker: undefined,
};

const nameOf = (name: string): string => {
  const text = formatBlobList({ ...LIST, entries: [{ kind: 'prefix', name }] });
  return /<BlobPrefix>(.*)<\/BlobPrefix>/s.exec(text)?.[1] ?? assert.fail();
};

test('what was asked is repeated where it was given', () => {
  assert.ok(
    formatBlobList(LIST).endsWith(
      '<EnumerationResults ServiceEndpoint="http://h/acc/" ContainerName="c"><Blobs /><NextMarker /></EnumerationResults>',
    ),
  );
  assert.match(
    formatBlobList({
      ...LIST,
      endpoint: 'http://"<&/',
      prefix: '<&',
      marker: 'm',
      pageSize: 2,
      delimiter: '/',
      nextMarker: 'n',
    }),
    /="http:\/\/&quot;&lt;&amp;\/" ContainerName="c"><Prefix>&lt;&amp;<\/Prefix><Marker>m<\/Marker><MaxResults>2<\/MaxResults><Delimiter>\/<\/Delimiter><Blobs \/><NextMarker>n<\/NextMarker>/,
  );
});

test('a parser reads back what was asked', () => {
  const asked = { prefix: 'p\r', marker: 'm\r\n', delimiter: '\r' };
  const root = parseXml(Buffer.from(formatBlobList({ ...LIST, ...asked })));
  const told = new Map(root.children.map(({ name, text }) => [name, text]));
  assert.deepEqual([told.get('Prefix'), told.get('Marker'), told.get('Delimiter')], ['p\r', 'm\r\n', '\r']);
  const found = formatFoundBlobs({ endpoint: '', where: `"a"='\r'`, blobs: [], nextMarker: undefined });
  assert.match(found, /<Where>"a"='&#xD;'<\/Where>/);
});

test('names are escaped, and encoded where XML has no such character', () => {
  assert.equal(nameOf('a/<b>&"c\''), `<Name>a/&lt;b&gt;&amp;"c'</Name>`);
  assert.equal(nameOf(' a '), '<Name> a </Name>');
  assert.equal(nameOf('😀'), '<Name>😀</Name>');
  assert.equal(nameOf('a\r\n\tb'), '<Name>a&#xD;\n\tb</Name>');
  assert.equal(nameOf('a%20'), '<Name>a%20</Name>');
  for (const [name, encoded] of [
    ['\uffff', '%EF%BF%BF'],
    ['\0', '%00'],
    ['a/ \u001f', 'a%2F%20%1F'],
    ['\r\ufffe', '%0D%EF%BF%BE'],
  ] as const)
    assert.equal(nameOf(name), `<Name Encoded="true">${encoded}</Name>`);
});

test('a parser reads every name as it is', () => {
  for (const name of ['\r', '\r\n', 'a\rb', '\n', '\t', ' ', '<', '&amp;', ']]>', '\u0085', '\u2028', '😀']) {
    const root = parseXml(Buffer.from(formatBlobList({ ...LIST, entries: [{ kind: 'prefix', name }] })));
    const [blobs] = root.children.filter(child => child.name === 'Blobs');
    assert.equal(blobs?.children[0]?.children[0]?.text, name, JSON.stringify(name));
  }
});

test('blobs of which nothing is committed, and matches', () => {
  const text = formatBlobList({ ...LIST, entries: [{ kind: 'uncommitted', name: 'u' }] });
  assert.match(text, /<Blob><Name>u<\/Name><Properties><Content-Length>0<\/Content-Length>/);
  const found = formatFoundBlobs({
    endpoint: 'http://h/acc/',
    where: `"a">'<'`,
    blobs: [{ container: 'c', blob: '\u0001', tags: [['a', '1']] }],
    nextMarker: undefined,
  });
  assert.ok(
    found.endsWith(
      `<Where>"a"&gt;'&lt;'</Where><Blobs><Blob><Name Encoded="true">%01</Name><ContainerName>c</ContainerName><Tags><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tags></Blob></Blobs><NextMarker /></EnumerationResults>`,
    ),
  );
});
