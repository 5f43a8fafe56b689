// Shared access signatures of accounts, containers, blobs and snapshots, made by the official client: what they grant,
// what is refused, and what a copy needs at both of its ends (protocol: sas, blob-requests#copy-sources).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobSASPermissions,
  type BlobSASSignatureValues,
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
  type RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { refusal } from '../support/clients.js';

/** A refusal should show at once, not after retries. */
const OPTIONS = { retryOptions: { maxTries: 1 } };
const FAILED = '403 AuthenticationFailed';
const MISMATCH = '403 AuthorizationPermissionMismatch';

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    async () => {
      const { status, code } = await refusal(promise);
      return `${status} ${code}`;
    },
  );

describe('signatures of blobs', () => {
  let server: RunningServer;
  let credential: StorageSharedKeyCredential;
  let container: ContainerClient;
  let others: ContainerClient;
  before(async () => {
    server = await serve({ store: 'memory:' });
    credential = new StorageSharedKeyCredential(server.account.name, server.account.key);
    const service = BlobServiceClient.fromConnectionString(server.connectionString(), OPTIONS);
    container = service.getContainerClient('mine');
    others = service.getContainerClient('others');
    for (const each of [container, others]) {
      await each.create();
      for (const name of ['b', 'c']) await each.uploadBlockBlob(name, 'secret', 6);
    }
  });
  after(() => server.close());

  const expiresOn = new Date(Date.now() + 3_600_000);
  const signed = (values: Partial<BlobSASSignatureValues>): string =>
    generateBlobSASQueryParameters({ containerName: 'mine', ...values }, credential).toString();
  const ofBlob = (blobName: string, letters: string): string =>
    signed({ blobName, expiresOn, permissions: BlobSASPermissions.parse(letters) });
  const ofContainer = (letters: string): string =>
    signed({ expiresOn, permissions: ContainerSASPermissions.parse(letters) });
  const as = (query: string, name = 'mine'): ContainerClient =>
    new BlobServiceClient(`${server.endpoints.blob}?${query}`, undefined, OPTIONS).getContainerClient(name);
  const read = (query: string, name = 'b', where = 'mine') =>
    codeOf(as(query, where).getBlobClient(name).download());
  const list = (query: string) => codeOf(as(query).listBlobsFlat().next());

  test('of a blob, of a container and of an account', async () => {
    const [blob, all] = [ofBlob('b', 'r'), ofContainer('rl')];
    const account = generateAccountSASQueryParameters(
      {
        expiresOn,
        permissions: AccountSASPermissions.parse('r'),
        resourceTypes: AccountSASResourceTypes.parse('o').toString(),
        services: AccountSASServices.parse('b').toString(),
      },
      credential,
    ).toString();
    assert.deepEqual([await read(blob), await read(blob, 'c'), await list(blob)], ['done', FAILED, FAILED]);
    assert.deepEqual([await read(all), await read(all, 'c'), await list(all)], ['done', 'done', 'done']);
    assert.deepEqual(
      [await read(account, 'b', 'others'), await list(account)],
      ['done', '403 AuthorizationResourceTypeMismatch'],
    );
    for (const query of [blob, all]) assert.equal(await read(query, 'b', 'others'), FAILED);
    assert.equal(await codeOf(as(all).uploadBlockBlob('b', 'x', 1)), MISMATCH);
    assert.equal(await codeOf(as(all).delete()), '403 AuthorizationFailure');
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
    ]) {
      const fields = new URLSearchParams(blob);
      for (const [name, value] of Object.entries(changes)) fields.set(name, value);
      assert.equal(await read(fields.toString()), FAILED, JSON.stringify(changes));
    }
  });

  test('of a snapshot, for it alone, and by a policy for as long as that', async () => {
    const blob = container.getBlockBlobClient('snapped');
    await blob.upload('old', 3);
    const { snapshot: snapshotTime = '' } = await blob.createSnapshot();
    await new Promise(resolve => setTimeout(resolve, 2));
    const { snapshot: later = '' } = await blob.createSnapshot();
    const permissions = BlobSASPermissions.parse('rwd');
    const query = signed({ blobName: 'snapped', snapshotTime, expiresOn, permissions });
    const holder = as(query).getBlobClient('snapped');
    assert.equal((await holder.withSnapshot(snapshotTime).downloadToBuffer()).toString(), 'old');
    for (const code of await Promise.all(
      [
        holder.download(),
        holder.withSnapshot(later).download(),
        holder.getBlockBlobClient().upload('new', 3),
        holder.delete(),
      ].map(codeOf),
    ))
      assert.equal(code, FAILED);

    const policy = { id: 'readers', accessPolicy: { permissions: 'r', expiresOn } };
    await container.setAccessPolicy(undefined, [policy]);
    const named = signed({ identifier: 'readers' });
    assert.equal(await read(named), 'done');
    assert.equal(await codeOf(as(named).getBlobClient('b').delete()), MISMATCH);
    // In the signature and in the policy.
    assert.equal(await read(signed({ identifier: 'readers', expiresOn })), FAILED);
    await container.setAccessPolicy(undefined, [{ ...policy, id: 'others' }]);
    assert.equal(await read(named), FAILED);
  });

  test('a create-only signature replaces nothing, by a content, a block or a list', async () => {
    const blob = as(ofContainer('c')).getBlockBlobClient('made');
    const id = (text: string) => Buffer.from(text).toString('base64');
    assert.equal(await codeOf(blob.stageBlock(id('a'), 'x', 1)), 'done');
    assert.equal(await codeOf(blob.commitBlockList([id('a')])), 'done');
    for (const code of await Promise.all(
      [blob.upload('y', 1), blob.stageBlock(id('b'), 'x', 1), blob.commitBlockList([])].map(codeOf),
    ))
      assert.equal(code, '403 UnauthorizedBlobOverwrite');
    assert.equal((await container.getBlobClient('made').downloadToBuffer()).toString(), 'x');
  });

  test('a copy needs authority for its source, and its tags a permission at both ends', async () => {
    const source = container.getBlockBlobClient('tagged');
    await source.upload('abc', 3, { tags: { a: '1' }, blobHTTPHeaders: { blobContentType: 'text/plain' } });
    const url = (letters: string) => `${source.url}?${ofBlob('tagged', letters)}`;
    const target = container.getBlockBlobClient('copied');
    for (const ask of [
      (from: string) => target.syncUploadFromURL(from),
      (from: string) => target.syncCopyFromURL(from),
      (from: string) => target.stageBlockFromURL('AAAA', from),
    ]) {
      await assert.rejects(ask(source.url), ({ statusCode, response }: RestError) => {
        const code = response?.headers.get('x-ms-copy-source-error-code');
        assert.deepEqual([statusCode, code], [401, 'NoAuthenticationInformation']);
        return true;
      });
      await ask(url('r'));
    }
    const tags = async () => (await target.getTags()).tags;
    assert.deepEqual(await tags(), {});
    await target.syncCopyFromURL(url('rt'), { copySourceTags: 'COPY' });
    assert.deepEqual(await tags(), { a: '1' });
    await target.syncCopyFromURL(url('rt'), { copySourceTags: 'REPLACE', tags: { b: '2' } });
    assert.deepEqual(await tags(), { b: '2' });
    await target.syncUploadFromURL(url('rt'), { copySourceTags: 'COPY' });
    assert.deepEqual(await tags(), { a: '1' });
    assert.equal((await target.getProperties()).contentType, 'text/plain');
    const both = { copySourceTags: 'COPY', tags: { b: '2' } } as const;
    for (const code of await Promise.all(
      [target.syncCopyFromURL(url('rt'), both), target.syncUploadFromURL(url('rt'), both)].map(codeOf),
    ))
      assert.equal(code, '409 BothUserTagsAndSourceTagsCopyPresentException');
    const odd = target.syncCopyFromURL(url('rt'), { copySourceTags: 'copy' as 'COPY' });
    assert.equal(await codeOf(odd), '400 InvalidHeaderValue');
    const by = (letters: string) => as(ofContainer(letters)).getBlockBlobClient('copied');
    const copy = (letters: string, ofSource: string) =>
      codeOf(by(letters).syncCopyFromURL(url(ofSource), { copySourceTags: 'COPY' }));
    assert.deepEqual(
      [await copy('w', 'rt'), await copy('wt', 'r'), await copy('wt', 'rt')],
      [MISMATCH, '403 CannotVerifyCopySource', 'done'],
    );
    const put = (letters: string) => codeOf(by(letters).upload('x', 1, { tags: { b: '2' } }));
    assert.deepEqual([await put('w'), await put('wt')], [MISMATCH, 'done']);
  });

  test('the document of a list of blocks has at most 8 MiB', async () => {
    const url = `${server.endpoints.blob}/mine/listed?comp=blocklist&${ofContainer('cw')}`;
    const commit = async (bytes: number): Promise<number> => {
      const empty = '<BlockList></BlockList>';
      const body = `<BlockList>${' '.repeat(bytes - empty.length)}</BlockList>`;
      const headers = { 'x-ms-version': '2026-04-06' };
      return (await fetch(url, { method: 'PUT', body, headers })).status;
    };
    const most = 8 * 1024 * 1024;
    assert.deepEqual([await commit(most - 1), await commit(most), await commit(most + 1)], [201, 201, 413]);
  });
});
