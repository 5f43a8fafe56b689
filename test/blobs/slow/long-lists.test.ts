// Lists of a hundred thousand blobs by the official client: complete and in order, in pages of 5,000, flat and by hierarchy. The container is filled
// without sockets before the server starts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { openStore } from '../../histories/direct-sender.js';
import { CONTAINER } from '../blob-model.js';
import { BLOB_WIRE, rawBlobRequest } from '../blob-wire.js';

const COUNT = 100_000;
const PAGE = 5_000;
const AN_HOUR = 10;
const IN_FLIGHT = 512;
const ACCOUNT = 'devstoreaccount1';
const ALL_PREFIX = 'queue/';

/** Files of logs by the hour from 2014 on, as in the table design guide, in the order of their numbers. */
function logName(number: number): string {
  const hour = new Date(Date.UTC(2014, 0, 1, Math.floor(number / AN_HOUR))).toISOString();
  const [date, time] = [hour.slice(0, 10).replaceAll('-', '/'), `${hour.slice(11, 13)}00`];
  return `${ALL_PREFIX}${date}/${time}/${String(number).padStart(6, '0')}.log`;
}

const NAMES = Array.from({ length: COUNT }, (_, number) => logName(number));

async function fill(directory: string): Promise<void> {
  const store = await openStore(directory);
  await BLOB_WIRE.send(store.blob, { kind: 'make', container: CONTAINER });
  const names = NAMES.values();
  const headers = { 'x-ms-blob-type': 'BlockBlob' };
  const write = async (): Promise<void> => {
    for (const name of names) {
      const path = `${CONTAINER}/${name}`;
      await store.blob.request(rawBlobRequest({ method: 'PUT', path, headers, body: 'x' }));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, write));
  await store.close();
}

/** The text between the prefix and the delimiter, once each, in order. */
const prefixesOf = (prefix: string, delimiter: string): string[] => [
  ...new Set(
    NAMES.filter(name => name.startsWith(prefix) && name.includes(delimiter, prefix.length)).map(name =>
      name.slice(0, name.indexOf(delimiter, prefix.length) + delimiter.length),
    ),
  ),
];

interface Hierarchy {
  readonly prefixes: string[];
  readonly blobs: string[];
  readonly pages: number[];
}

async function hierarchy(container: ContainerClient, prefix: string, delimiter: string): Promise<Hierarchy> {
  const found: Hierarchy = { prefixes: [], blobs: [], pages: [] };
  const pages = container.listBlobsByHierarchy(delimiter, { prefix }).byPage({ maxPageSize: PAGE });
  for await (const { segment } of pages) {
    const prefixes = segment.blobPrefixes ?? [];
    found.prefixes.push(...prefixes.map(({ name }) => name));
    found.blobs.push(...segment.blobItems.map(({ name }) => name));
    found.pages.push(prefixes.length + segment.blobItems.length);
  }
  return found;
}

describe(`lists of ${COUNT} blobs`, () => {
  let directory: string;
  let server: RunningServer;
  let container: ContainerClient;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), `shelfmark-lists-${randomUUID()}`));
    await fill(directory);
    server = await serve({ store: `lmdb:${directory}` });
    assert.equal(server.account.name, ACCOUNT);
    const service = BlobServiceClient.fromConnectionString(server.connectionString());
    container = service.getContainerClient(CONTAINER);
  });
  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('flat: twenty full pages, every blob once, in the order of the names', async () => {
    const found: string[] = [];
    const pages: number[] = [];
    for await (const { segment } of container.listBlobsFlat().byPage({ maxPageSize: PAGE })) {
      pages.push(segment.blobItems.length);
      found.push(...segment.blobItems.map(({ name }) => name));
    }
    assert.deepEqual(pages, Array(COUNT / PAGE).fill(PAGE));
    assert.deepEqual(found, NAMES);
  });

  test('flat, of a prefix: the blobs of a month and no others', async () => {
    const prefix = `${ALL_PREFIX}2014/07/`;
    const found: string[] = [];
    for await (const { name } of container.listBlobsFlat({ prefix })) found.push(name);
    assert.deepEqual(
      found,
      NAMES.filter(name => name.startsWith(prefix)),
    );
  });

  test('by hierarchy: years, months, days, hours, and the blobs of an hour', async () => {
    for (const prefix of ['', ALL_PREFIX, 'queue/2014/', 'queue/2014/07/', 'queue/2014/07/31/']) {
      const { prefixes, blobs } = await hierarchy(container, prefix, '/');
      assert.deepEqual(prefixes, prefixesOf(prefix, '/'), prefix);
      assert.deepEqual(blobs, [], prefix);
    }
    const hour = 'queue/2014/07/31/1800/';
    const { prefixes, blobs } = await hierarchy(container, hour, '/');
    assert.deepEqual([prefixes, blobs], [[], NAMES.filter(name => name.startsWith(hour))]);
    assert.equal(blobs.length, 10);
  });

  test('by hierarchy with as many prefixes as blobs: pages of 5,000, each prefix once, in order', async () => {
    const { prefixes, blobs, pages } = await hierarchy(container, ALL_PREFIX, '.');
    assert.deepEqual(pages, Array(COUNT / PAGE).fill(PAGE));
    assert.deepEqual(prefixes, prefixesOf(ALL_PREFIX, '.'));
    assert.deepEqual(blobs, []);
  });
});
