// Large values on a service: in the row or in a blob, by every write, read back whole, and blobs that no row names are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, key, open, remove, t } from '#patterns';
import { connect } from '#patterns/internals';
import { largeBytes, larges, largeText, sweepLarges } from '#patterns/large';
import { sweep } from '../../../packages/patterns/shapes/large/large-blobs.js';
import { collect } from '../support/collect.js';
import { before, type FaultPlan } from '../support/faulty-client.js';
import { describePeers, type FreshOptions, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

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
const anyOf = (id: number) => ({ key: { id }, etag: '*' });
let containers = 0;

describePeers('large values', peer => {
  const world = async (options: FreshOptions = {}) => {
    const container = `photos-${++containers}`;
    const blobs = peer.blobs().getContainerClient(container);
    await blobs.create();
    const { db, table, raw } = await fresh(peer, photoOf('Photos'), options);
    const Photo = photoOf(table);
    const photos = larges(db, Photo, { container });
    const blobNames = async () => (await collect(blobs.listBlobsFlat())).map(({ name }) => name);
    const image = async (id: number) => {
      const row = (await photos.get({ id })) ?? assert.fail();
      return photos.content(row, 'image');
    };
    /** What a sweeper takes, however young it is. */
    const orphans = async (more = {}) => {
      const service = connect({ tables: peer.client(), blobs: peer.blobs() });
      const pages = sweep(service, Photo as never, { container, olderThan: 0, ...more }, 0);
      return (await collect(pages)).flatMap(page => [...page.orphans]);
    };
    return { db, Photo, raw, container, blobs, photos, blobNames, image, orphans };
  };

  test('say which container is not there', async () => {
    const { db, Photo } = await world();
    const photos = larges(db, Photo, { container: 'not-there' });
    await rejects(photos.create({ id: 1, image: bytesOf(1_001) }), 'ServiceRefused', {
      code: 'ContainerNotFound',
      text: 'There is no container not-there.',
    });
  });

  test('are in the row up to a bound, and above it in a blob', async () => {
    const { photos, raw, blobNames, image } = await world();
    for (const [id, length, blobs] of [
      [1, 0, 0],
      [2, 999, 0],
      [3, 1_000, 0],
      [4, 1_001, 1],
    ] as const) {
      const row = await photos.create({ id, image: bytesOf(length) });
      assert.equal((await blobNames()).length, blobs, `${length} bytes`);
      assert.equal(row.value.image?.length, length);
      assert.deepEqual(await image(id), bytesOf(length));
    }
    const row = await raw.getEntity<Record<string, unknown>>('photos', '0004');
    assert.equal(row.image, undefined);
    const pointer = /^{"blob":"Photo\/[0-9a-f]{32}","length":1001,"sha256":"[0-9a-f]{64}"}$/;
    assert.match(String(row.imageBlob), pointer);
  });

  test('may be texts and larger than any row', async () => {
    const { photos, blobNames } = await world();
    const text = `${'é'.repeat(1_500_000)}\u{1f600}`;
    const row = await photos.create({ id: 1, text, image: bytesOf(3_000_000) });
    assert.equal(await photos.content(row, 'text'), text);
    assert.equal((await photos.content(row, 'image'))?.length, 3_000_000);
    const short = await photos.merge(row, { text: 'short' });
    assert.equal(await photos.content(short, 'text'), 'short');
    assert.equal((await blobNames()).length, 1);
  });

  test('are written by every operation, and the blob before goes', async () => {
    const { photos, blobNames, image } = await world();
    const large = (value: number) => bytesOf(2_000, value);
    const made = await photos.create({ id: 1, image: large(1), title: 't' });
    const replaced = await photos.replace(made, { id: 1, image: large(2) });
    await rejects(photos.replace(made, { id: 1, image: large(9) }), 'Conflict');
    const titled = await photos.merge(replaced, { title: 'u' });
    assert.deepEqual(await photos.content(titled, 'image'), large(2));
    await photos.merge(anyOf(1), { image: large(3) });
    await photos.upsert({ id: 1, image: large(4) });
    await photos.upsertMerge({ id: 1, title: 'v' });
    await photos.mutate({ id: 1 }, now => now && { ...now, title: 'w' });
    const row = (await photos.get({ id: 1 })) ?? assert.fail();
    assert.deepEqual([row.value.title, await image(1), (await blobNames()).length], ['w', large(4), 1]);
    const bare = await photos.merge(row, { image: remove });
    assert.deepEqual([await photos.content(bare, 'image'), await blobNames()], [undefined, []]);
    const again = await photos.mutate({ id: 2 }, () => ({ id: 2, image: large(5) }));
    assert(again);
    await rejects(photos.create({ id: 2, image: large(6) }), 'AlreadyExists');
    await photos.delete(again);
    await photos.deleteIfExists(anyOf(2));
    await rejects(photos.delete(anyOf(2)), 'NotFound');
    assert.deepEqual(await blobNames(), []);
  });

  test('that are copied have blobs of their own, and those that are replaced meanwhile are read as they are', async () => {
    const { photos } = await world();
    const one = await photos.create({ id: 1, image: bytesOf(2_000) });
    const two = await photos.create({ ...one.value, id: 2 });
    assert.notEqual(two.value.image?.pointer?.blob, one.value.image?.pointer?.blob);
    await photos.delete(one);
    assert.deepEqual(await photos.content(two, 'image'), bytesOf(2_000));
    await photos.replace(two, { id: 2, image: bytesOf(3_000, 2) });
    assert.deepEqual(await photos.content(two, 'image'), bytesOf(3_000, 2));
    // Replaced once more between the reads of the row and of its blob.
    const read = photos.get.bind(photos);
    photos.get = async (...given) => {
      photos.get = read;
      const row = await read(...given);
      await photos.replace(anyOf(2), { id: 2, image: bytesOf(4_000, 3) });
      return row;
    };
    assert.deepEqual(await photos.content(two, 'image'), bytesOf(4_000, 3));
  });

  test('that are replaced before every read of the blob are given up, and a signal ends that', async () => {
    const { db, Photo, container, photos } = await world({ sleep: async () => undefined });
    const others = larges(db, Photo, { container });
    const row = await photos.create({ id: 1, image: bytesOf(2_000) });
    await others.replace(row, { id: 1, image: bytesOf(2_001) });
    const ending = new AbortController();
    let [reads, last] = [0, 20];
    const read = photos.get.bind(photos);
    photos.get = async (...given) => {
      const found = await read(...given);
      if (++reads === last) ending.abort(new Error('the end'));
      assert(reads <= 20, 'no end');
      await others.replace(anyOf(1), { id: 1, image: bytesOf(2_001) });
      return found;
    };
    await rejects(photos.content(row, 'image'), 'Contention', { attempts: 8 });
    assert.equal(reads, 8);
    [reads, last] = [0, 2];
    await assert.rejects(photos.content(row, 'image', { signal: ending.signal }));
    assert.equal(reads, 2);
  });

  test('refuse a key that is none by a promise', async () => {
    const { photos } = await world();
    await rejects(
      photos.mutate({} as never, () => undefined),
      'KeyInvalid',
    );
  });

  test('whose blob is gone or is another are told', async () => {
    const { photos, blobs, blobNames } = await world();
    const row = await photos.create({ id: 1, image: bytesOf(2_000) });
    const [name = ''] = await blobNames();
    await blobs.getBlockBlobClient(name).upload('x'.repeat(2_000), 2_000);
    await rejects(photos.content(row, 'image'), 'RowUnreadable');
    await blobs.deleteBlob(name);
    const gone = /RowUnreadable.*the blob Photo\/\w+ of its image is gone/;
    await assert.rejects(photos.content(row, 'image'), gone);
  });

  test('that no row names are swept when they are old, and no others', async () => {
    const { db, Photo, photos, container, blobs, blobNames, image, orphans } = await world();
    const kept = await photos.create({ id: 1, image: bytesOf(2_000) });
    const lost = await photos.create({ id: 2, image: bytesOf(2_000) });
    await photos.rows.delete(lost);
    await blobs.getBlockBlobClient('Photo/of-others').upload('x', 1);
    const [young] = await collect(sweepLarges(db, Photo, { container }));
    assert.deepEqual([young?.seen, young?.young, young?.orphans], [3, 3, []]);
    const expected = [lost.value.image?.pointer?.blob];
    assert.deepEqual(await orphans({ dryRun: true }), expected);
    assert.equal((await blobNames()).length, 3);
    assert.deepEqual(await orphans({ size: 1 }), expected);
    assert.deepEqual([await image(1), (await blobNames()).length], [bytesOf(2_000), 2]);
    // A row that was moved names its blob where it is now.
    const archive = await peer.newTable();
    await db.repo(Photo, { table: archive }).create(kept.value);
    await photos.rows.delete(kept);
    const alsoIn = (row: { partitionKey: string; rowKey: string }) => [{ ...row, table: archive }];
    assert.deepEqual(await orphans({ alsoIn }), []);
    for (const olderThan of [3_600_000, 3_600_001]) sweepLarges(db, Photo, { container, olderThan });
    const tooYoung = () => sweepLarges(db, Photo, { container, olderThan: 3_599_999 });
    assert.throws(tooYoung, /ValueInvalid.*3600000 milliseconds at least/);
  });

  for (const stillBefore of ['PUT of the blob', 'POST of the row'] as const)
    test(`of a program that stood still are written again: before the ${stillBefore}`, async () => {
      let now = Date.UTC(2026, 0, 1);
      let calls = 0;
      let sweep = async (): Promise<void> => undefined;
      // The program stands still for two hours, and a sweeper takes the blob.
      const plan: FaultPlan = before('POST', () => sweep());
      const { photos, blobs, blobNames } = await world({
        ...(stillBefore === 'POST of the row' && { plan }),
        now: () => (stillBefore === 'PUT of the blob' && ++calls > 4 ? now + 7_200_000 : now),
      });
      sweep = async () => {
        now += 7_200_000;
        for (const name of await blobNames()) await blobs.deleteBlob(name);
      };
      const row = await photos.create({ id: 1, image: bytesOf(2_000) });
      assert.deepEqual(await photos.content(row, 'image'), bytesOf(2_000));
      assert.equal((await blobNames()).length, 1);
    });

  test('refuse what they cannot be', async () => {
    const { photos, Photo, db, container } = await world();
    // @ts-expect-error an image is bytes
    await rejects(photos.create({ id: 1, image: 'text' }), 'ValueInvalid');
    await rejects(photos.create({ id: 1, text: '\ud800' }), 'ValueInvalid');
    // @ts-expect-error a title is no large value
    await rejects(photos.content({} as never, 'title'), 'ValueInvalid');
    const bare = { id: 1, image: bytesOf(1) };
    const clients = { tables: peer.client(), blobs: peer.blobs() };
    const unmarked = open(clients, { operationIds: false });
    for (const [body, reason] of [
      // @ts-expect-error only larges() writes contents
      [() => db.batch(Photo, {}).create(Photo, bare), /only larges\(\) writes/],
      [() => larges(open({ tables: peer.client() }), Photo, { container }), /needs a BlobServiceClient/],
      [() => larges(unmarked, Photo, { container }), /need operation ids/],
      [() => larges(db, Photo, { container: 'A' }), /not a name that a container may have/],
      [() => largeBytes({ over: 524_289 }), /up to 524288 bytes, not 524289/],
      [() => largeBytes({ over: -1 }), /not -1/],
    ] as const)
      assert.throws(body, reason);
    // @ts-expect-error nor does a repository
    await assert.rejects(db.repo(Photo).create(bare), /only larges\(\) writes/);
    largeBytes({ over: 524_288 });
  });
});
