// Large values on a service: in the row or in a blob, by every write, read back whole, and blobs that no row names are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, key, open, remove, t } from '#patterns';
import { connect } from '#patterns/internals';
import { largeBytes, larges, largeText, sweepLarges } from '#patterns/large';
import { sweepOlderThan } from '../../../packages/patterns/shapes/large/sweep.js';
import { before, FaultyClient } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const container = 'photos';

const photoOf = (table: string) =>
  entity('Photo', {
    version: 1,
    table,
    props: {
      id: t.int32(),
      title: t.string().optional(),
      image: largeBytes({ over: 1_000 }).optional(),
      text: largeText().stored('Text').optional(),
    },
    partition: key('photos'),
    row: p => key(p.id.as(codec.int(4))),
  });

const bytesOf = (length: number, value = 7): Uint8Array => new Uint8Array(length).fill(value);

describePeers('large values', peer => {
  const blobClient = () => peer.blobs();
  const blobNames = async (prefix = 'Photo/'): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const { name } of blobClient().getContainerClient(container).listBlobsFlat({ prefix }))
      names.push(name);
    return names;
  };
  const clear = async (): Promise<void> => {
    await blobClient().getContainerClient(container).createIfNotExists();
    for (const name of await blobNames()) await blobClient().getContainerClient(container).deleteBlob(name);
  };
  const world = async (of: Peer = peer, options = {}) => {
    await clear();
    const Photo = photoOf(await of.newTable());
    const clients = { tables: of.client(), blobs: blobClient() };
    const db = open(clients, options);
    return { Photo, db, clients, photos: larges(db, Photo, { container }) };
  };
  const orphansOf = async ({ Photo, clients }: Awaited<ReturnType<typeof world>>, more = {}) => {
    const found: string[] = [];
    for await (const { orphans } of sweepOlderThan(
      connect(clients),
      Photo as never,
      { container, ...more },
      0,
    ))
      found.push(...orphans);
    return found;
  };

  test('say which container is not there', async () => {
    const { Photo, db } = await world();
    const photos = larges(db, Photo, { container: 'not-there' });
    await rejects(photos.create({ id: 1, image: bytesOf(1_001) }), 'ServiceRefused', {
      code: 'ContainerNotFound',
      text: 'There is no container not-there.',
    });
  });

  test('are in the row up to a bound, and above it in a blob', async () => {
    const { photos, Photo } = await world();
    for (const [id, length, blobs] of [
      [1, 0, 0],
      [2, 999, 0],
      [3, 1_000, 0],
      [4, 1_001, 1],
    ] as const) {
      const row = await photos.create({ id, image: bytesOf(length) });
      assert.equal((await blobNames()).length, blobs, `${length} bytes`);
      assert.equal(row.value.image?.length, length);
      const read = await photos.get({ id });
      assert.deepEqual(read && (await photos.content(read, 'image')), bytesOf(length));
    }
    const raw = await peer.table(Photo.table).getEntity<Record<string, unknown>>('photos', '0004');
    assert.equal(raw.image, undefined);
    assert.match(
      String(raw.imageBlob),
      /^{"blob":"Photo\/[0-9a-f]{32}","length":1001,"sha256":"[0-9a-f]{64}"}$/,
    );
  });

  test('may be texts and larger than any row', async () => {
    const { photos } = await world();
    const text = `${'é'.repeat(1_500_000)}\u{1f600}`;
    const row = await photos.create({ id: 1, text, image: bytesOf(3_000_000) });
    assert.equal(await photos.content(row, 'text'), text);
    assert.equal((await photos.content(row, 'image'))?.length, 3_000_000);
    const short = await photos.merge(row, { text: 'short' });
    assert.equal(await photos.content(short, 'text'), 'short');
    assert.equal((await blobNames()).length, 1);
  });

  test('are written by every operation, and the blob before goes', async () => {
    const { photos } = await world();
    const large = (value: number) => bytesOf(2_000, value);
    const made = await photos.create({ id: 1, image: large(1), title: 't' });
    const replaced = await photos.replace(made, { id: 1, image: large(2) });
    await rejects(photos.replace(made, { id: 1, image: large(9) }), 'Conflict');
    const titled = await photos.merge(replaced, { title: 'u' });
    assert.deepEqual(await photos.content(titled, 'image'), large(2));
    await photos.merge({ key: { id: 1 }, etag: '*' }, { image: large(3) });
    await photos.upsert({ id: 1, image: large(4) });
    await photos.upsertMerge({ id: 1, title: 'v' });
    await photos.mutate({ id: 1 }, now => now && { ...now, title: 'w' });
    let row = await photos.get({ id: 1 });
    assert.deepEqual(row && [row.value.title, await photos.content(row, 'image')], ['w', large(4)]);
    assert.equal((await blobNames()).length, 1);
    assert(row);
    row = await photos.merge(row, { image: remove });
    assert.equal(await photos.content(row, 'image'), undefined);
    assert.deepEqual(await blobNames(), []);
    const again = await photos.mutate({ id: 2 }, () => ({ id: 2, image: large(5) }));
    assert(again);
    await rejects(photos.create({ id: 2, image: large(6) }), 'AlreadyExists');
    await photos.delete(again);
    await photos.deleteIfExists({ key: { id: 2 }, etag: '*' });
    await rejects(photos.delete({ key: { id: 2 }, etag: '*' }), 'NotFound');
    assert.deepEqual(await blobNames(), []);
  });

  test('that are copied to another row have blobs of their own', async () => {
    const { photos } = await world();
    const one = await photos.create({ id: 1, image: bytesOf(2_000) });
    const two = await photos.create({ ...one.value, id: 2 });
    assert.notEqual(two.value.image?.pointer?.blob, one.value.image?.pointer?.blob);
    await photos.delete(one);
    assert.deepEqual(await photos.content(two, 'image'), bytesOf(2_000));
  });

  test('that are replaced while they are read are read as they are then', async () => {
    const { photos } = await world();
    const one = await photos.create({ id: 1, image: bytesOf(2_000, 1) });
    await photos.replace(one, { id: 1, image: bytesOf(3_000, 2) });
    assert.deepEqual(await photos.content(one, 'image'), bytesOf(3_000, 2));
  });

  test('whose blob is gone or is another are told', async () => {
    const { photos } = await world();
    const row = await photos.create({ id: 1, image: bytesOf(2_000) });
    const blob = blobClient()
      .getContainerClient(container)
      .getBlockBlobClient((await blobNames())[0] ?? '');
    await blob.upload('x'.repeat(2_000), 2_000);
    await rejects(photos.content(row, 'image'), 'RowUnreadable');
    await blob.delete();
    await assert.rejects(
      photos.content(row, 'image'),
      /RowUnreadable.*the blob Photo\/\w+ of its image is gone/,
    );
  });

  test('that no row names are swept when they are old, and no others', async () => {
    const its = await world();
    const { photos, Photo, db } = its;
    const kept = await photos.create({ id: 1, image: bytesOf(2_000) });
    const lost = await photos.create({ id: 2, image: bytesOf(2_000) });
    await photos.rows.delete(lost);
    const foreign = blobClient().getContainerClient(container).getBlockBlobClient('Photo/of-others');
    await foreign.upload('x', 1);
    for await (const { seen, young, orphans } of sweepLarges(db, Photo, { container }))
      assert.deepEqual([seen, young, orphans], [3, 3, []]);
    assert.deepEqual(await orphansOf(its, { dryRun: true }), [lost.value.image?.pointer?.blob]);
    assert.equal((await blobNames()).length, 3);
    assert.deepEqual(await orphansOf(its, { size: 1 }), [lost.value.image?.pointer?.blob]);
    assert.deepEqual(await photos.content(kept, 'image'), bytesOf(2_000));
    assert.equal((await blobNames()).length, 2);
    // A row that was moved names its blob where it is now.
    const archive = await peer.newTable();
    await db.repo(Photo, { table: archive }).create(kept.value);
    await photos.rows.delete(kept);
    const alsoIn = (row: { partitionKey: string; rowKey: string }) => [{ ...row, table: archive }];
    assert.deepEqual(await orphansOf(its, { alsoIn }), []);
  });

  test('are swept at an hour or older only', async () => {
    const { Photo, db } = await world();
    sweepLarges(db, Photo, { container, olderThan: 3_600_000 });
    sweepLarges(db, Photo, { container, olderThan: 3_600_001 });
    assert.throws(
      () => sweepLarges(db, Photo, { container, olderThan: 3_599_999 }),
      /ValueInvalid.*3600000 milliseconds at least/,
    );
  });

  test('of a program that stood still are written again, before their row and after it', async () => {
    for (const stillBefore of ['PUT of the blob', 'POST of the row'] as const) {
      let now = Date.UTC(2026, 0, 1);
      // The program stands still for two hours, and a sweeper takes the blob.
      const sweep = async (): Promise<void> => {
        now += 7_200_000;
        for (const name of await blobNames())
          await blobClient().getContainerClient(container).deleteBlob(name);
      };
      const httpClient = new FaultyClient(
        stillBefore === 'POST of the row' ? before('POST', sweep) : undefined,
      );
      let calls = 0;
      const clock = (): number => (stillBefore === 'PUT of the blob' && ++calls > 4 ? now + 7_200_000 : now);
      const { photos } = await world(peer, { httpClient, now: clock });
      const row = await photos.create({ id: 1, image: bytesOf(2_000) });
      assert.deepEqual(await photos.content(row, 'image'), bytesOf(2_000));
      assert.equal((await blobNames()).length, 1, stillBefore);
    }
  });

  test('refuse what they cannot be', async () => {
    const { Photo, photos, db } = await world();
    // @ts-expect-error an image is bytes
    await rejects(photos.create({ id: 1, image: 'text' }), 'ValueInvalid');
    await rejects(photos.create({ id: 1, text: '\ud800' }), 'ValueInvalid');
    // @ts-expect-error a title is no large value
    await rejects(photos.content({} as never, 'title'), 'ValueInvalid');
    const bare = { id: 1, image: bytesOf(1) };
    // @ts-expect-error only larges() writes contents
    assert.throws(() => db.repo(Photo).create(bare), /only larges\(\) writes/);
    const batch = db.batch(Photo, {});
    // @ts-expect-error nor does a batch
    assert.throws(() => batch.create(Photo, bare), /only larges\(\) writes/);
    const clients = { tables: peer.client(), blobs: blobClient() };
    assert.throws(
      () => larges(open({ tables: peer.client() }), Photo, { container }),
      /needs a BlobServiceClient/,
    );
    assert.throws(
      () => larges(open(clients, { operationIds: false }), Photo, { container }),
      /need operation ids/,
    );
    assert.throws(() => larges(db, Photo, { container: 'A' }), /not a name that a container may have/);
    assert.throws(() => largeBytes({ over: 524_289 }), /up to 524288 bytes, not 524289/);
    largeBytes({ over: 524_288 });
    assert.throws(() => largeBytes({ over: -1 }), /not -1/);
  });
});
