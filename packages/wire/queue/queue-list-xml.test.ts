// The document of List Queues, byte for byte as recorded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XML_HEAD } from '../shared/xml.js';
import { formatQueueList, type ListedQueues } from './queue-list-xml.js';

const NOTHING: ListedQueues = {
  endpoint: 'https://account.queue.core.windows.net/',
  prefix: undefined,
  marker: undefined,
  pageSize: undefined,
  queues: [],
  nextMarker: undefined,
};

const frame = (content: string): string =>
  `${XML_HEAD}<EnumerationResults ServiceEndpoint="https://account.queue.core.windows.net/">${content}</EnumerationResults>`;

test('no parameters and no queues', () => {
  assert.equal(formatQueueList(NOTHING), frame('<Queues /><NextMarker />'));
});

test('a page of several', () => {
  const page = {
    ...NOTHING,
    prefix: 'listqueue',
    pageSize: 3,
    queues: [{ name: 'listqueue0560410cb', metadata: undefined }],
    nextMarker: '/account/listqueue3560410cb',
  };
  assert.equal(
    formatQueueList(page),
    frame(
      '<Prefix>listqueue</Prefix><MaxResults>3</MaxResults><Queues><Queue><Name>listqueue0560410cb</Name></Queue></Queues><NextMarker>/account/listqueue3560410cb</NextMarker>',
    ),
  );
});

test('the last page, with metadata', () => {
  const metadata = [
    { name: 'Key', value: 'a<b' },
    { name: 'none', value: '' },
  ];
  const queues = [
    { name: 'a', metadata: [] },
    { name: 'b', metadata },
  ];
  assert.equal(
    formatQueueList({ ...NOTHING, prefix: '', marker: '/account/a', queues }),
    frame(
      '<Marker>/account/a</Marker><Queues><Queue><Name>a</Name><Metadata /></Queue><Queue><Name>b</Name><Metadata><Key>a&lt;b</Key><none /></Metadata></Queue></Queues><NextMarker />',
    ),
  );
});

test('an endpoint is escaped in its attribute', () => {
  assert.match(
    formatQueueList({ ...NOTHING, endpoint: 'http://"<&' }),
    /ServiceEndpoint="http:\/\/&quot;&lt;&amp;">/,
  );
});
