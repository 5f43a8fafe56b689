// The official client of blobs, unchanged, over a socket: containers, block, append and page blobs, lists, conditions, leases, copies, signatures, batches.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';

/** Without retries, so that a refusal surfaces at once. */
const OPTIONS = { retryOptions: { maxTries: 1 } };
const HOUR_MS = 3_600_000;

const refused = (code: string, status: number) => (error: unknown) =>
  error instanceof RestError && error.statusCode === status && error.details !== undefined
    ? error.code === code || (error.details as { errorCode?: string }).errorCode === code
    : false;

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

  test('containers: made, seen, set, listed, leased, deleted', async () => {
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
    await assert.rejects(container.delete(), refused('LeaseIdMissing', 412));
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
    await assert.rejects(
      blocks.commitBlockList([Buffer.from('nowhere').toString('base64')]),
      refused('InvalidBlockList', 400),
    );
    await assert.rejects(blocks.download(bytes.length), refused('InvalidRange', 416));
  });

  test('digests are compared, and what differs is not stored', async () => {
    const container = await makeContainer();
    const blob = container.getBlockBlobClient('b');
    await assert.rejects(
      blob.stageBlock(Buffer.from('1').toString('base64'), 'abc', 3, {
        transactionalContentMD5: new Uint8Array(16),
      }),
      refused('Md5Mismatch', 400),
    );
    await assert.rejects(
      blob.stageBlock(Buffer.from('1').toString('base64'), 'abc', 3, {
        transactionalContentCrc64: new Uint8Array(8),
      }),
      refused('Crc64Mismatch', 400),
    );
    assert.equal(await blob.exists(), false);
  });

  test('appends and pages', async () => {
    const container = await makeContainer();
    const log = container.getAppendBlobClient('log');
    await log.create();
    for (const line of ['one\n', 'two\n']) await log.appendBlock(line, line.length);
    await assert.rejects(
      log.appendBlock('x', 1, { conditions: { appendPosition: 3 } }),
      refused('AppendPositionConditionNotMet', 412),
    );
    assert.equal((await log.downloadToBuffer()).toString(), 'one\ntwo\n');
    const pages = container.getPageBlobClient('pages');
    await pages.create(2048);
    await pages.uploadPages(Buffer.alloc(512, 7), 512, 512);
    const { pageRange } = await pages.getPageRanges(0, 2048);
    assert.deepEqual(pageRange, [{ offset: 512, count: 511 }]);
    await pages.clearPages(512, 512);
    assert.deepEqual((await pages.getPageRanges(0, 2048)).pageRange, []);
    await assert.rejects(pages.uploadPages(Buffer.alloc(512), 100, 512), refused('InvalidPageRange', 416));
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

  test('conditions, leases, snapshots, copies, tiers', async () => {
    const container = await makeContainer();
    const blob = container.getBlockBlobClient('b');
    const { etag = '' } = await blob.upload('1', 1);
    await assert.rejects(
      blob.upload('2', 1, { conditions: { ifNoneMatch: '*' } }),
      refused('BlobAlreadyExists', 409),
    );
    await blob.upload('2', 1, { conditions: { ifMatch: etag } });
    await assert.rejects(
      blob.upload('3', 1, { conditions: { ifMatch: etag } }),
      refused('ConditionNotMet', 412),
    );
    const { snapshot = '' } = await blob.createSnapshot();
    await blob.upload('3', 1);
    assert.equal((await blob.withSnapshot(snapshot).downloadToBuffer()).toString(), '2');
    await assert.rejects(blob.delete(), refused('SnapshotsPresent', 409));
    const copy = container.getBlockBlobClient('copy');
    const poller = await copy.beginCopyFromURL(blob.url);
    assert.equal((await poller.pollUntilDone()).copyStatus, 'success');
    assert.equal((await copy.downloadToBuffer()).toString(), '3');
    const lease = copy.getBlobLeaseClient();
    await lease.acquireLease(-1);
    await assert.rejects(copy.upload('4', 1), refused('LeaseIdMissing', 412));
    await lease.breakLease(0);
    await copy.setAccessTier('Cool');
    assert.equal((await copy.getProperties()).accessTier, 'Cool');
    await blob.delete({ deleteSnapshots: 'include' });
    assert.deepEqual(await namesOf(container), ['copy']);
  });

  test('a body from a URL, and a copy that is waited for, need authority for their source', async () => {
    const container = await makeContainer();
    const source = container.getBlockBlobClient('source');
    await source.upload('private', 7);
    const expiresOn = new Date(Date.now() + HOUR_MS);
    const signed = await source.generateSasUrl({ permissions: BlobSASPermissions.parse('r'), expiresOn });
    const target = container.getBlockBlobClient('target');
    const asks: readonly ((url: string) => Promise<unknown>)[] = [
      url => target.syncUploadFromURL(url),
      url => target.syncCopyFromURL(url),
      url => target.stageBlockFromURL('AAAA', url),
    ];
    for (const ask of asks) {
      await assert.rejects(ask(source.url), error => {
        assert(error instanceof RestError);
        assert.equal(
          error.response?.headers.get('x-ms-copy-source-error-code'),
          'NoAuthenticationInformation',
        );
        return refused('CannotVerifyCopySource', 401)(error);
      });
      await ask(signed);
    }
    assert.equal((await target.downloadToBuffer()).toString(), 'private');
  });

  test('signatures of an account, a container and a blob; what they do not grant is refused', async () => {
    const container = await makeContainer();
    await container.uploadBlockBlob('b', 'secret', 6);
    const expiresOn = new Date(Date.now() + HOUR_MS);
    const { containerName } = container;
    const sign = (blobName: string | undefined, permissions: BlobSASPermissions | ContainerSASPermissions) =>
      generateBlobSASQueryParameters(
        { containerName, ...(blobName && { blobName }), permissions, expiresOn },
        credential,
      ).toString();
    const as = (query: string) =>
      new BlobServiceClient(`${server.endpoints.blob}?${query}`, undefined, OPTIONS).getContainerClient(
        containerName,
      );
    const reader = as(sign('b', BlobSASPermissions.parse('r')));
    assert.equal((await reader.getBlobClient('b').downloadToBuffer()).toString(), 'secret');
    await assert.rejects(reader.getBlobClient('c').download(), refused('AuthenticationFailed', 403));
    const lister = as(sign(undefined, ContainerSASPermissions.parse('lc')));
    assert.deepEqual(await namesOf(lister), ['b']);
    await lister.uploadBlockBlob('new', '1', 1);
    await assert.rejects(lister.uploadBlockBlob('new', '2', 1), refused('UnauthorizedBlobOverwrite', 403));
    const account = as(
      generateAccountSASQueryParameters(
        {
          expiresOn,
          permissions: AccountSASPermissions.parse('r'),
          resourceTypes: AccountSASResourceTypes.parse('o').toString(),
          services: AccountSASServices.parse('b').toString(),
        },
        credential,
      ).toString(),
    );
    assert.equal((await account.getBlobClient('b').downloadToBuffer()).toString(), 'secret');
    await assert.rejects(namesOf(account), refused('AuthorizationResourceTypeMismatch', 403));
  });

  test('a public container is read without credentials, a private one is not', async () => {
    const container = await makeContainer();
    await container.uploadBlockBlob('b', 'open', 4);
    const anyone = new BlobServiceClient(server.endpoints.blob ?? '', undefined, OPTIONS);
    const blob = anyone.getContainerClient(container.containerName).getBlobClient('b');
    await assert.rejects(blob.download(), refused('NoAuthenticationInformation', 401));
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
