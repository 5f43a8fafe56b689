// Blobs, prefixes, matches and containers as entries of lists: names that XML cannot hold, properties in the recorded order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseState, SeenContainer } from '#blobs';
import type { Header } from '../../shared/answer.js';
import { parseXml } from '../../shared/xml.js';
import { formatFoundBlob, formatListedBlob } from './blob-list-xml.js';
import { formatContainer } from './container-list-xml.js';
import { addLeaseHeaders, formatLease } from './lease-elements.js';

const SHOWN = { included: new Set<string>(), version: '2019-02-02' };

const prefixOf = (name: string): string => formatListedBlob({ kind: 'prefix', name }, SHOWN);

test('names are escaped, and encoded where XML has no such character', () => {
  for (const [name, element] of [
    ['a/<b>&"c\'', `<Name>a/&lt;b&gt;&amp;"c'</Name>`],
    [' a ', '<Name> a </Name>'],
    ['😀', '<Name>😀</Name>'],
    ['a\r\n\tb', '<Name>a&#xD;\n\tb</Name>'],
    ['a%20', '<Name>a%20</Name>'],
    ['\uffff', '<Name Encoded="true">%EF%BF%BF</Name>'],
    ['\0', '<Name Encoded="true">%00</Name>'],
    ['a/ \u001f', '<Name Encoded="true">a%2F%20%1F</Name>'],
    ['\r\ufffe', '<Name Encoded="true">%0D%EF%BF%BE</Name>'],
  ] as const)
    assert.equal(prefixOf(name), `<BlobPrefix>${element}</BlobPrefix>`);
});

test('a parser reads every name as it is', () => {
  for (const name of ['\r', '\r\n', 'a\rb', '\n', '\t', ' ', '<', '&amp;', ']]>', '\u0085', '\u2028', '😀'])
    assert.equal(parseXml(Buffer.from(prefixOf(name))).children[0]?.text, name, JSON.stringify(name));
});

test('blobs of which nothing is committed, and matches', () => {
  const uncommitted = formatListedBlob({ kind: 'uncommitted', name: 'u' }, SHOWN);
  assert.match(uncommitted, /^<Blob><Name>u<\/Name><Properties><Content-Length>0<\/Content-Length>/);
  assert.equal(
    formatFoundBlob({ container: 'c', blob: '\u0001', tags: [['a', '1']] }),
    '<Blob><Name Encoded="true">%01</Name><ContainerName>c</ContainerName><Tags><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tags></Blob>',
  );
});

const TICKS = BigInt(Date.parse('2019-05-09T01:19:36Z')) * 10_000n;
const CONTAINER: SeenContainer = {
  name: 'things',
  stamp: { etag: TICKS, lastModified: TICKS },
  metadata: [],
  publicAccess: 'private',
  lease: { state: 'available', duration: undefined },
};

test('the properties of a container, with its ETag in quotes, and metadata only where it was asked for', () => {
  const start =
    '<Container><Name>things</Name><Properties><Last-Modified>Thu, 09 May 2019 01:19:36 GMT</Last-Modified><Etag>"0x8D6D41C664D0400"</Etag>';
  const free = '<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>';
  const holds = '<HasImmutabilityPolicy>false</HasImmutabilityPolicy><HasLegalHold>false</HasLegalHold>';
  assert.equal(
    formatContainer(CONTAINER, false, '2018-11-09'),
    `${start}${free}${holds}</Properties></Container>`,
  );
  assert.equal(
    formatContainer(CONTAINER, true, '2021-08-06'),
    `${start}${free}${holds}<ImmutableStorageWithVersioningEnabled>false</ImmutableStorageWithVersioningEnabled></Properties><Metadata /></Container>`,
  );
  const leased: SeenContainer = {
    ...CONTAINER,
    publicAccess: 'blob',
    lease: { state: 'leased', duration: 'infinite' },
  };
  const locked =
    '<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>infinite</LeaseDuration>';
  assert.equal(
    formatContainer(leased, false, '2018-11-09'),
    `${start}${locked}<PublicAccess>blob</PublicAccess>${holds}</Properties></Container>`,
  );
});

const LEASES: readonly (readonly [state: LeaseState['state'], status: string])[] = [
  ['available', 'unlocked'],
  ['leased', 'locked'],
  ['breaking', 'locked'],
  ['broken', 'unlocked'],
  ['expired', 'unlocked'],
];

test('every state of a lease, in lists and in headers', () => {
  for (const [state, status] of LEASES) {
    const duration = state === 'leased' ? 'fixed' : undefined;
    const headers: Header[] = [];
    addLeaseHeaders({ state, duration }, headers);
    const [first = [], second = [], ...more] = headers;
    assert.deepEqual(
      [first[1], second[1], more.map(([, value]) => value)],
      [status, state, duration ? ['fixed'] : []],
    );
    const element = `<LeaseStatus>${status}</LeaseStatus>`;
    assert.equal(formatLease({ state, duration }, '2012-02-11'), element);
    const rest = duration ? '<LeaseDuration>fixed</LeaseDuration>' : '';
    const whole = `${element}<LeaseState>${state}</LeaseState>${rest}`;
    assert.equal(formatLease({ state, duration }, '2012-02-12'), whole);
  }
});
