// What the official client of blobs meets at the edges: tags that come along with copies, the words for tiers, odd names, and signatures that
// are forged or do not reach as far as they are used.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  BlobSASPermissions,
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';

/** A refusal is to be seen at once, not after retries. */
const OPTIONS = { retryOptions: { maxTries: 1 } };
const HOUR_MS = 3_600_000;

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return 'done';
  assert.ok(error instanceof RestError, String(error));
  const { errorCode } = (error.details ?? {}) as { readonly errorCode?: string };
  return `${error.statusCode} ${errorCode ?? error.code}`;
}

describe('blobs at the edges', () => {
  let server: RunningServer;
  let service: BlobServiceClient;
  let credential: StorageSharedKeyCredential;
  let container: ContainerClient;
  before(async () => {
    server = await serve({ store: 'memory:' });
    credential = new StorageSharedKeyCredential(server.account.name, server.account.key);
    service = BlobServiceClient.fromConnectionString(server.connectionString(), OPTIONS);
    container = service.getContainerClient('edges');
    await container.create();
  });
  after(() => server.close());

  const expiresOn = new Date(Date.now() + HOUR_MS);
  const signed = (blobName: string | undefined, letters: string): string =>
    generateBlobSASQueryParameters(
      {
        containerName: 'edges',
        expiresOn,
        ...(blobName === undefined
          ? { permissions: ContainerSASPermissions.parse(letters) }
          : { blobName, permissions: BlobSASPermissions.parse(letters) }),
      },
      credential,
    ).toString();
  const as = (query: string, name = 'edges'): ContainerClient =>
    new BlobServiceClient(`${server.endpoints.blob}?${query}`, undefined, OPTIONS).getContainerClient(name);

  test('tags come along with a copy where it says so', async () => {
    const source = container.getBlockBlobClient('tagged');
    await source.upload('abc', 3, { tags: { a: '1' }, blobHTTPHeaders: { blobContentType: 'text/plain' } });
    const tagsOf = async (name: string) => (await container.getBlobClient(name).getTags()).tags;
    const copy = container.getBlockBlobClient('copied');
    await copy.syncCopyFromURL(source.url);
    assert.deepEqual(await tagsOf('copied'), {});
    await copy.syncCopyFromURL(source.url, { copySourceTags: 'COPY' });
    assert.deepEqual(await tagsOf('copied'), { a: '1' });
    await copy.syncCopyFromURL(source.url, { copySourceTags: 'REPLACE', tags: { b: '2' } });
    assert.deepEqual(await tagsOf('copied'), { b: '2' });
    const put = container.getBlockBlobClient('put');
    await put.syncUploadFromURL(source.url, { copySourceTags: 'COPY' });
    assert.deepEqual(await tagsOf('put'), { a: '1' });
    assert.equal((await put.getProperties()).contentType, 'text/plain');
    for (const refused of [
      copy.syncCopyFromURL(source.url, { copySourceTags: 'COPY', tags: { b: '2' } }),
      put.syncUploadFromURL(source.url, { copySourceTags: 'COPY', tags: { b: '2' } }),
    ])
      assert.equal(await codeOf(refused), '409 BothUserTagsAndSourceTagsCopyPresentException');
    const odd = copy.syncCopyFromURL(source.url, { copySourceTags: 'copy' as 'COPY' });
    assert.equal(await codeOf(odd), '400 InvalidHeaderValue');
  });

  test('tags need a right of their own, at both ends of a copy', async () => {
    await container.uploadBlockBlob('t', 'abc', 3, { tags: { a: '1' } });
    const url = (letters: string) => `${container.getBlobClient('t').url}?${signed('t', letters)}`;
    const put = (letters: string, name: string) =>
      as(signed(undefined, letters)).uploadBlockBlob(name, 'x', 1, { tags: { b: '2' } });
    assert.equal(await codeOf(put('w', 'u')), '403 AuthorizationPermissionMismatch');
    assert.equal(await codeOf(put('wt', 'u')), 'done');
    const copy = (letters: string, ofSource: string) =>
      as(signed(undefined, letters))
        .getBlobClient('v')
        .syncCopyFromURL(url(ofSource), { copySourceTags: 'COPY' });
    assert.equal(await codeOf(copy('w', 'rt')), '403 AuthorizationPermissionMismatch');
    assert.equal(await codeOf(copy('wt', 'r')), '403 CannotVerifyCopySource');
    assert.equal(await codeOf(copy('wt', 'rt')), 'done');
    assert.deepEqual((await container.getBlobClient('v').getTags()).tags, { a: '1' });
  });

  test('words for tiers in any case', async () => {
    const blob = container.getBlockBlobClient('tier');
    await blob.upload('x', 1, { tier: 'cool' });
    assert.equal((await blob.getProperties()).accessTier, 'Cool');
    await blob.setAccessTier('HOT');
    assert.equal((await blob.getProperties()).accessTier, 'Hot');
    assert.equal(await codeOf(blob.setAccessTier('P4')), '400 InvalidHeaderValue');
  });
});
