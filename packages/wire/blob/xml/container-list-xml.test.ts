// Lists of containers: what was asked, each container's properties in the recorded order, metadata where it was asked for, the marker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenContainer } from '#blobs';
import { parseXml } from '../../shared/xml.js';
import { formatContainerList, type ListedContainers } from './container-list-xml.js';

const TICKS = BigInt(Date.parse('2019-05-09T01:19:36Z')) * 10_000n;
const CONTAINER: SeenContainer = {
  name: 'things',
  stamp: { etag: TICKS, lastModified: TICKS },
  metadata: [],
  publicAccess: 'private',
  lease: { state: 'available', duration: undefined },
};
const LIST: ListedContainers = {
  endpoint: 'http://h/acc/',
  prefix: undefined,
  marker: undefined,
  pageSize: undefined,
  containers: [],
  withMetadata: false,
  version: '2018-11-09',
  nextMarker: undefined,
};

const listOf = (more: Partial<ListedContainers>): string => {
  const text = formatContainerList({ ...LIST, ...more });
  parseXml(Buffer.from(text));
  return /<EnumerationResults[^>]*>(.*)<\/EnumerationResults>$/s.exec(text)?.[1] ?? assert.fail(text);
};
const entryOf = (container: Partial<SeenContainer>, withMetadata = false): string =>
  /<Containers>(.*)<\/Containers>/s.exec(
    listOf({ containers: [{ ...CONTAINER, ...container }], withMetadata }),
  )?.[1] ?? assert.fail();

test('an empty list, and what was asked', () => {
  assert.ok(
    formatContainerList(LIST).startsWith('\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults'),
  );
  assert.equal(listOf({}), '<Containers /><NextMarker />');
  assert.equal(
    listOf({ prefix: 'a\r&', marker: '/acc/b', pageSize: 2, nextMarker: '/acc/c' }),
    '<Prefix>a&#xD;&amp;</Prefix><Marker>/acc/b</Marker><MaxResults>2</MaxResults><Containers /><NextMarker>/acc/c</NextMarker>',
  );
  assert.equal(listOf({ prefix: '', marker: '' }), '<Containers /><NextMarker />');
  assert.match(
    formatContainerList({ ...LIST, endpoint: 'http://"</' }),
    /ServiceEndpoint="http:\/\/&quot;&lt;\/"/,
  );
});

test('the properties of a container, with its ETag in quotes', () => {
  const holds = '<HasImmutabilityPolicy>false</HasImmutabilityPolicy><HasLegalHold>false</HasLegalHold>';
  const times =
    '<Last-Modified>Thu, 09 May 2019 01:19:36 GMT</Last-Modified><Etag>"0x8D6D41C664D0400"</Etag>';
  const free = '<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>';
  assert.equal(
    entryOf({}),
    `<Container><Name>things</Name><Properties>${times}${free}${holds}</Properties></Container>`,
  );
  assert.match(
    listOf({ containers: [CONTAINER], version: '2021-08-06' }),
    /<\/HasLegalHold><ImmutableStorageWithVersioningEnabled>false<\/ImmutableStorageWithVersioningEnabled><\/Prop/,
  );
  const leased = entryOf({ publicAccess: 'blob', lease: { state: 'leased', duration: 'infinite' } });
  assert.match(
    leased,
    /<LeaseStatus>locked<\/LeaseStatus><LeaseState>leased<\/LeaseState><LeaseDuration>infinite<\/LeaseDuration><PublicAccess>blob<\/PublicAccess><HasImm/,
  );
});

test('metadata only where it was asked for', () => {
  const metadata = [
    { name: 'One', value: 'a<b' },
    { name: 'two', value: '' },
  ];
  assert.doesNotMatch(entryOf({ metadata }), /Metadata/);
  assert.match(
    entryOf({ metadata }, true),
    /<\/Properties><Metadata><One>a&lt;b<\/One><two \/><\/Metadata><\/Container>/,
  );
  assert.match(entryOf({}, true), /<\/Properties><Metadata \/><\/Container>/);
});
