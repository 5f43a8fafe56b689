// What the official client of blobs meets at the edges: tags of copies, odd names, and signatures that
// are forged or insufficient.
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

/** A refusal should show at once, not after retries. */
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

  test('tags are copied where the request asks for it', async () => {
    const source = container.getBlockBlobClient('tagged');
    await source.upload('abc', 3, { tags: { a: '1' }, blobHTTPHeaders: { blobContentType: 'text/plain' } });
    const tagsOf = async (name: string) => (await container.getBlobClient(name).getTags()).tags;
    const url = `${source.url}?${signed('tagged', 'rt')}`;
    const copy = container.getBlockBlobClient('copied');
    await copy.syncCopyFromURL(url);
    assert.deepEqual(await tagsOf('copied'), {});
    await copy.syncCopyFromURL(url, { copySourceTags: 'COPY' });
    assert.deepEqual(await tagsOf('copied'), { a: '1' });
    await copy.syncCopyFromURL(url, { copySourceTags: 'REPLACE', tags: { b: '2' } });
    assert.deepEqual(await tagsOf('copied'), { b: '2' });
    const put = container.getBlockBlobClient('put');
    await put.syncUploadFromURL(url, { copySourceTags: 'COPY' });
    assert.deepEqual(await tagsOf('put'), { a: '1' });
    assert.equal((await put.getProperties()).contentType, 'text/plain');
    for (const refused of [
      copy.syncCopyFromURL(url, { copySourceTags: 'COPY', tags: { b: '2' } }),
      put.syncUploadFromURL(url, { copySourceTags: 'COPY', tags: { b: '2' } }),
    ])
      assert.equal(await codeOf(refused), '409 BothUserTagsAndSourceTagsCopyPresentException');
    const odd = copy.syncCopyFromURL(url, { copySourceTags: 'copy' as 'COPY' });
    assert.equal(await codeOf(odd), '400 InvalidHeaderValue');
  });

  test('tags need a permission of their own, at both ends of a copy', async () => {
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

  /** Names as they are, and as listed. */
  const listed = async (client: ContainerClient, prefix: string): Promise<string[]> => {
    const names: string[] = [];
    for await (const { name } of client.listBlobsFlat({ prefix })) names.push(name);
    return names;
  };

  test('names of all kinds are written, read, listed and deleted', async () => {
    const names = [
      ...['/lead', 'trail/', 'a//b', '/', '//', 'dot.', 'a./b.', 'dots...', 'space ', ' lead', '   '],
      ...['per%cent', '%41', '%2F', '%', 'quest?ion', 'ha#sh', 'pl+us', 'a&b=c', 'semi;colon', `quo'te"`],
      ...[
        '<x>&amp;',
        '\u{1f600}/\u{1d4b3}',
        'e\u0301',
        '\u00e9',
        'tab\t',
        'line\n',
        '\u0001',
        '\uffff',
        '\u2028',
      ],
      ...['x'.repeat(1024), '\u{1f600}'.repeat(512), `${'s/'.repeat(253)}s`],
    ];
    const odd = service.getContainerClient('names');
    await odd.create();
    for (const name of names) await odd.uploadBlockBlob(name, name, Buffer.byteLength(name));
    for (const name of names)
      assert.equal((await odd.getBlobClient(name).download()).contentLength, Buffer.byteLength(name));
    assert.deepEqual(await listed(odd, ''), [...names].sort());
    for (const name of names) await odd.getBlobClient(name).delete();
    assert.deepEqual(await listed(odd, ''), []);
    const upload = (name: string) => codeOf(odd.uploadBlockBlob(name, 'x', 1));
    assert.equal(await upload('x'.repeat(1025)), '400 OutOfRangeInput');
    assert.equal(await upload('\u{1f600}'.repeat(513)), '400 OutOfRangeInput');
    assert.equal(await upload(`${'s/'.repeat(254)}s`), '400 InvalidUri');
  });

  test('a create-only signature replaces nothing, by a content, a block or a list', async () => {
    const create = as(signed(undefined, 'c'));
    const blob = create.getBlockBlobClient('made');
    const block = (id: string) => codeOf(blob.stageBlock(Buffer.from(id).toString('base64'), 'x', 1));
    assert.equal(await block('a'), 'done');
    assert.equal(await codeOf(blob.commitBlockList([Buffer.from('a').toString('base64')])), 'done');
    const refused = '403 UnauthorizedBlobOverwrite';
    assert.equal(await codeOf(blob.upload('y', 1)), refused);
    assert.equal(await block('b'), refused);
    assert.equal(await codeOf(blob.commitBlockList([])), refused);
    assert.equal((await container.getBlobClient('made').downloadToBuffer()).toString(), 'x');
  });

  test('the document of a list of blocks has at most 8 MiB', async () => {
    const url = `${server.endpoints.blob}/edges/listed?comp=blocklist&${signed(undefined, 'cw')}`;
    const commit = async (bytes: number): Promise<number> => {
      const empty = '<BlockList></BlockList>';
      const body = `<BlockList>${' '.repeat(bytes - empty.length)}</BlockList>`;
      const headers = { 'x-ms-version': '2026-04-06' };
      const answer = await fetch(url, { method: 'PUT', body, headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    const most = 8 * 1024 * 1024;
    assert.deepEqual([await commit(most - 1), await commit(most), await commit(most + 1)], [201, 201, 413]);
  });

  test('forged signatures, and insufficient ones', async () => {
    await container.uploadBlockBlob('b', 'secret', 6);
    await container.uploadBlockBlob('c', 'other', 5);
    const other = service.getContainerClient('others');
    await other.create();
    await other.uploadBlockBlob('b', 'theirs', 6);
    const read = (query: string, name = 'b', where = 'edges') =>
      codeOf(as(query, where).getBlobClient(name).download());
    const list = (query: string) => codeOf(as(query).listBlobsFlat().next());
    const changed = (query: string, changes: Readonly<Record<string, string>>): string => {
      const fields = new URLSearchParams(query);
      for (const [name, value] of Object.entries(changes)) fields.set(name, value);
      return fields.toString();
    };
    const [ofBlob, ofContainer] = [signed('b', 'r'), signed(undefined, 'rl')];
    assert.deepEqual(
      [await read(ofBlob), await read(ofContainer), await list(ofContainer)],
      ['done', 'done', 'done'],
    );
    const FAILED = '403 AuthenticationFailed';
    // For another blob, another container, and for a blob used on the container.
    assert.equal(await read(ofBlob, 'c'), FAILED);
    assert.equal(await read(ofContainer, 'b', 'others'), FAILED);
    assert.equal(await read(ofBlob, 'b', 'others'), FAILED);
    assert.equal(await list(ofBlob), FAILED);
    // Changed after it was signed.
    for (const changes of [
      { sp: 'rw' },
      { se: '2099-01-01T00:00:00Z' },
      { sv: '2018-11-09' },
      { sr: 'c' },
      { sr: 'bs' },
      { sr: 'x' },
      { st: '2020-01-01T00:00:00Z' },
      { sip: '127.0.0.1' },
      { spr: 'http' },
      { si: 'p' },
      { rsct: 'text/html' },
      { sig: `${'A'.repeat(43)}=` },
      { sig: '' },
      { skoid: 'x' },
    ])
      assert.equal(await read(changed(ofBlob, changes)), FAILED, JSON.stringify(changes));
  });

  test('a signature of a container does not apply to the container itself, whatever its letters', async () => {
    const ofContainer = signed(undefined, 'rl');
    const all = as(signed(undefined, 'racwdxltmeif'));
    for (const refused of [
      all.delete(),
      all.setMetadata({}),
      all.getProperties(),
      all.getAccessPolicy(),
      as(signed(undefined, 'racwdl'), 'edges').create(),
    ])
      assert.equal(await codeOf(refused), '403 AuthorizationFailure');
    assert.equal(
      await codeOf(as(ofContainer).uploadBlockBlob('b', 'x', 1)),
      '403 AuthorizationPermissionMismatch',
    );
    assert.equal(
      await codeOf(as(ofContainer).getBlobClient('b').delete()),
      '403 AuthorizationPermissionMismatch',
    );
  });

  test('a signature of a snapshot is for it alone, and one by a policy lasts as long as the policy', async () => {
    const blob = container.getBlockBlobClient('snapped');
    await blob.upload('old', 3);
    const { snapshot: snapshotTime = '' } = await blob.createSnapshot();
    await new Promise(resolve => setTimeout(resolve, 2));
    const { snapshot: later = '' } = await blob.createSnapshot();
    const values = { containerName: 'edges', blobName: 'snapped', snapshotTime, expiresOn };
    const query = generateBlobSASQueryParameters(
      { ...values, permissions: BlobSASPermissions.parse('rwd') },
      credential,
    ).toString();
    const holder = as(query).getBlobClient('snapped');
    assert.equal((await holder.withSnapshot(snapshotTime).downloadToBuffer()).toString(), 'old');
    const FAILED = '403 AuthenticationFailed';
    assert.equal(await codeOf(holder.download()), FAILED);
    assert.equal(await codeOf(holder.withSnapshot(later).download()), FAILED);
    assert.equal(await codeOf(holder.getBlockBlobClient().upload('new', 3)), FAILED);
    assert.equal(await codeOf(holder.delete()), FAILED);

    const policy = { id: 'readers', accessPolicy: { permissions: 'r', expiresOn } };
    await container.setAccessPolicy(undefined, [policy]);
    const named = (fields: object) =>
      as(
        generateBlobSASQueryParameters(
          { containerName: 'edges', identifier: 'readers', ...fields },
          credential,
        ).toString(),
      ).getBlobClient('b');
    assert.equal(await codeOf(named({}).download()), 'done');
    assert.equal(await codeOf(named({}).delete()), '403 AuthorizationPermissionMismatch');
    // In the signature and in the policy.
    assert.equal(await codeOf(named({ expiresOn }).download()), FAILED);
    await container.setAccessPolicy(undefined, [{ ...policy, id: 'others' }]);
    assert.equal(await codeOf(named({}).download()), FAILED);
  });
});
