// Lists are followed to their last page, and a list that misses a blob fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAll, markerOf } from './blob-load.js';

const ENDPOINT = { port: 10000, account: 'bench', signature: 'sig=x' };

const page = (blobs: number, marker: string) => ({
  status: 200,
  head: '',
  body: Buffer.from(
    `<EnumerationResults><Blobs>${'<Blob><Name>n</Name></Blob>'.repeat(blobs)}</Blobs><NextMarker>${marker}</NextMarker></EnumerationResults>`,
  ),
});

test('a list goes on at each marker until there is none', async () => {
  const asked: string[] = [];
  const pages = [page(3, '2!a'), page(2, '')];
  const caller = {
    ask: async (request: Buffer | string) => {
      asked.push(String(request));
      return pages[asked.length - 1] ?? page(0, '');
    },
  };
  await listAll(caller, ENDPOINT, 'c', 'queue/', 5);
  assert.match(
    asked[0] ?? '',
    /^GET \/bench\/c\?restype=container&comp=list&prefix=queue%2F&maxresults=5000&sig=x /,
  );
  assert.match(asked[1] ?? '', /&marker=2!a&sig=x /);
  assert.equal(asked.length, 2);
  asked.length = 0;
  await assert.rejects(listAll(caller, ENDPOINT, 'c', 'queue/', 6), /5 blobs instead of 6/);
});

test('a page of another status is refused, and an empty marker ends a list', async () => {
  const caller = { ask: async () => ({ status: 503, head: '', body: Buffer.from('busy') }) };
  await assert.rejects(listAll(caller, ENDPOINT, 'c', '', 0), /status 503: busy/);
  assert.equal(markerOf(Buffer.from('<Blobs/><NextMarker /></EnumerationResults>')), '');
});
