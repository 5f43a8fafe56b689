// The official client of blobs, unchanged, over a socket: containers, block, append and page blobs, lists, conditions, leases, copies, odd names, batches.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient, type ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { refuses } from '../support/clients.js';

/** A refusal should show at once, not after retries. */
const OPTIONS = { retryOptions: { maxTries: 1 } };

async function namesOf(container: ContainerClient, prefix = ''): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of container.listBlobsFlat({ prefix })) names.push(name);
  return names;
}

describe('blobs by the official client', () => {
  let server: RunningServer;
  let service: BlobServiceClient;
  let credential: StorageSharedKeyCredential;
  let containers = 0;
  before(async () => {
    server = await serve({ store: 'memory:' });
    credential = new StorageSharedKeyCredential(server.account.name, server.account.key);
    service = BlobServiceClient.fromConnectionString(server.connectionString(), OPTIONS);
  });
  after(() => server.close());

  const makeContainer = async (): Promise<ContainerClient> => {
    const container = service.getContainerClient(`things${++containers}`);
    await container.create();
    return container;
  };

  test('containers: created, read, set, listed, leased, deleted', async () => {
    const container = await makeContainer();
    assert.equal((await container.createIfNotExists()).succeeded, false);
    await container.setMetadata({ kind: 'test' });
    const properties = await container.getProperties();
    assert.equal(properties.metadata?.kind, 'test');
    await container.setAccessPolicy('blob', [
      { id: 'p', accessPolicy: { permissions: 'r', startsOn: new Date(0), expiresOn: new Date(4e12) } },
    ]);
    const policy = await container.getAccessPolicy();
    assert.deepEqual(
      [policy.blobPublicAccess, policy.signedIdentifiers[0]?.accessPolicy.permissions],
      ['blob', 'r'],
    );
    const lease = container.getBlobLeaseClient();
    await lease.acquireLease(60);
    await refuses(container.delete(), 412, 'LeaseIdMissing');
    await lease.releaseLease();
    const listed: string[] = [];
    for await (const { name } of service.listContainers({ prefix: container.containerName }))
      listed.push(name);
    assert.deepEqual(listed, [container.containerName]);
    await container.delete();
    assert.equal(await container.exists(), false);
    assert.equal((await container.deleteIfExists()).succeeded, false);
  });

  test('a block blob: uploaded whole and in blocks, read whole, in ranges and as a stream', async () => {
    const container = await makeContainer();
    const whole = container.getBlockBlobClient('dir/a b+ü%.txt');
    await whole.upload('Hello World', 11, {
      blobHTTPHeaders: { blobContentType: 'text/plain' },
      metadata: { a_b: '1', a1: '2' },
      tags: { project: 'shelf' },
    });
    const properties = await whole.getProperties();
    assert.deepEqual(
      [properties.contentType, properties.contentLength, properties.metadata?.a_b, properties.blobType],
      ['text/plain', 11, '1', 'BlockBlob'],
    );
    assert.equal((await whole.downloadToBuffer(6)).toString(), 'World');
    assert.deepEqual((await whole.getTags()).tags, { project: 'shelf' });

    const bytes = randomBytes(5 * 1_048_576 + 13);
    const blocks = container.getBlockBlobClient('blocks');
    await blocks.uploadData(bytes, { blockSize: 1_048_576, maxSingleShotSize: 1000, concurrency: 4 });
    assert.ok((await blocks.downloadToBuffer()).equals(bytes));
    assert.equal((await blocks.getBlockList('all')).committedBlocks?.length, 6);
    const { readableStreamBody } = await blocks.download(1_048_570, 20, { rangeGetContentMD5: true });
    const pieces: Buffer[] = [];
    for await (const piece of readableStreamBody ?? []) pieces.push(Buffer.from(piece));
    assert.ok(Buffer.concat(pieces).equals(bytes.subarray(1_048_570, 1_048_590)));
    await refuses(
      blocks.commitBlockList([Buffer.from('nowhere').toString('base64')]),
      400,
      'InvalidBlockList',
    );
    await refuses(blocks.download(bytes.length), 416, 'InvalidRange');
  });

  test('appends and pages', async () => {
    const container = await makeContainer();
    const log = container.getAppendBlobClient('log');
    await log.create();
    for (const line of ['one\n', 'two\n']) await log.appendBlock(line, line.length);
    await refuses(
      log.appendBlock('x', 1, { conditions: { appendPosition: 3 } }),
      412,
      'AppendPositionConditionNotMet',
    );
    assert.equal((await log.downloadToBuffer()).toString(), 'one\ntwo\n');
    const pages = container.getPageBlobClient('pages');
    await pages.create(2048);
    await pages.uploadPages(Buffer.alloc(512, 7), 512, 512);
    const { pageRange } = await pages.getPageRanges(0, 2048);
    assert.deepEqual(pageRange, [{ offset: 512, count: 511 }]);
    await pages.clearPages(512, 512);
    assert.deepEqual((await pages.getPageRanges(0, 2048)).pageRange, []);
    await refuses(pages.uploadPages(Buffer.alloc(512), 100, 512), 416, 'InvalidPageRange');
  });

  test('lists: by prefix, by hierarchy, in pages', async () => {
    const container = await makeContainer();
    const names = ['a', 'log/1', 'log/2/x', 'log/2/y', 'z'];
    await Promise.all(names.map(name => container.uploadBlockBlob(name, name, name.length)));
    assert.deepEqual(await namesOf(container), names);
    const pages: (string | undefined)[][] = [];
    for await (const page of container.listBlobsFlat().byPage({ maxPageSize: 2 }))
      pages.push(page.segment.blobItems.map(({ name }) => name));
    assert.deepEqual(pages, [['a', 'log/1'], ['log/2/x', 'log/2/y'], ['z']]);
    const below: string[] = [];
    for await (const item of container.listBlobsByHierarchy('/', { prefix: 'log/' }))
      below.push(`${item.kind} ${item.name}`);
    assert.deepEqual(below.sort(), ['blob log/1', 'prefix log/2/']);
  });

  test('names of all kinds are written, read, listed and deleted', async () => {
    const names = [
      ...['/lead', 'trail/', 'a//b', '/', '//', 'dot.', 'a./b.', 'dots...', 'space ', ' lead', '   '],
      ...['per%cent', '%41', '%2F', '%', 'quest?ion', 'ha#sh', 'pl+us', 'a&b=c', 'semi;colon', `quo'te"`],
      ...['<x>&amp;', '\u{1f600}/\u{1d4b3}', 'e\u0301', '\u00e9', 'tab\t', 'line\n'],
      ...['\u0001', '\uffff', '\u2028'],
      ...['x'.repeat(1024), '\u{1f600}'.repeat(512), `${'s/'.repeat(253)}s`],
    ];
    const odd = await makeContainer();
    for (const name of names) await odd.uploadBlockBlob(name, name, Buffer.byteLength(name));
    for (const name of names)
      assert.equal((await odd.getBlobClient(name).download()).contentLength, Buffer.byteLength(name));
    assert.deepEqual(await namesOf(odd), [...names].sort());
    for (const name of names) await odd.getBlobClient(name).delete();
    assert.deepEqual(await namesOf(odd), []);
    for (const [name, code] of [
      ['x'.repeat(1025), 'OutOfRangeInput'],
      ['\u{1f600}'.repeat(513), 'OutOfRangeInput'],
      [`${'s/'.repeat(254)}s`, 'InvalidUri'],
    ] as const)
      await refuses(odd.uploadBlockBlob(name, 'x', 1), 400, code);
  });

  test('conditions, leases, snapshots, copies, tiers', async () => {
    const container = await makeContainer();
    const blob = container.getBlockBlobClient('b');
    const { etag = '' } = await blob.upload('1', 1);
    await refuses(blob.upload('2', 1, { conditions: { ifNoneMatch: '*' } }), 409, 'BlobAlreadyExists');
    await blob.upload('2', 1, { conditions: { ifMatch: etag } });
    await refuses(blob.upload('3', 1, { conditions: { ifMatch: etag } }), 412, 'ConditionNotMet');
    const { snapshot = '' } = await blob.createSnapshot();
    await blob.upload('3', 1);
    assert.equal((await blob.withSnapshot(snapshot).downloadToBuffer()).toString(), '2');
    await refuses(blob.delete(), 409, 'SnapshotsPresent');
    const copy = container.getBlockBlobClient('copy');
    const poller = await copy.beginCopyFromURL(blob.url);
    assert.equal((await poller.pollUntilDone()).copyStatus, 'success');
    assert.equal((await copy.downloadToBuffer()).toString(), '3');
    const lease = copy.getBlobLeaseClient();
    await lease.acquireLease(-1);
    await refuses(copy.upload('4', 1), 412, 'LeaseIdMissing');
    await lease.breakLease(0);
    await copy.setAccessTier('Cool');
    assert.equal((await copy.getProperties()).accessTier, 'Cool');
    await blob.delete({ deleteSnapshots: 'include' });
    assert.deepEqual(await namesOf(container), ['copy']);
  });

  test('a public container is read without credentials, a private one is not', async () => {
    const container = await makeContainer();
    await container.uploadBlockBlob('b', 'open', 4);
    const anyone = new BlobServiceClient(server.endpoints.blob ?? '', undefined, OPTIONS);
    const blob = anyone.getContainerClient(container.containerName).getBlobClient('b');
    await refuses(blob.download(), 401, 'NoAuthenticationInformation');
    await container.setAccessPolicy('blob');
    assert.equal((await blob.downloadToBuffer()).toString(), 'open');
    await assert.rejects(blob.delete());
  });

  test('batches, find by tags, service properties, account information', async () => {
    const container = await makeContainer();
    const urls = ['1', '2', '3'].map(name => container.getBlobClient(name).url);
    for (const name of ['1', '2']) await container.uploadBlockBlob(name, name, 1, { tags: { n: name } });
    const found: string[] = [];
    for await (const { name } of container.findBlobsByTags(`"n" >= '2'`)) found.push(name);
    assert.deepEqual(found, ['2']);
    const { subResponses } = await container.getBlobBatchClient().deleteBlobs(urls, credential);
    assert.deepEqual(
      subResponses.map(({ status, errorCode }) => [status, errorCode]),
      [
        [202, undefined],
        [202, undefined],
        [404, 'BlobNotFound'],
      ],
    );
    await service.setProperties({ defaultServiceVersion: '2020-10-02' });
    assert.equal((await service.getProperties()).defaultServiceVersion, '2020-10-02');
    assert.equal((await service.getAccountInfo()).accountKind, 'StorageV2');
  });
});
