// Large values: after each request every row names blobs that are there, and what no row names at the end is what the sweeper takes.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import { largeBytes, larges } from '#patterns/large';
import { Db as OwnDb } from '../../../packages/patterns/repo/open.js';
import { sweep } from '../../../packages/patterns/shapes/large/large-blobs.js';
import { collect } from '../support/collect.js';
import type { MatrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

const photosIn = (container: string, table: string) => {
  const Photo = entity('Photo', {
    version: 1,
    table,
    props: { id: t.int32(), image: largeBytes({ over: 100 }).optional(), title: t.string().optional() },
    partition: key('photos'),
    row: p => key(p.id.as(codec.int(2))),
  });
  return { Photo, photosOf: (db: Db) => larges(db, Photo, { container }) };
};
type Photos = ReturnType<ReturnType<typeof photosIn>['photosOf']>;

const bytesOf = (value: number): Uint8Array => new Uint8Array(200).fill(value);

/** Gives the names of the blobs that rows name. */
async function namedBy(photos: Photos): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for await (const row of photos.rows.partition({})) {
    const { pointer } = row.value.image ?? {};
    if (pointer === undefined) continue;
    named.add(pointer.blob);
    const image = await photos.content(row, 'image');
    assert(image?.length === 200 && new Set(image).size === 1, 'An image is not whole.');
  }
  return named;
}

const largeCase = (name: string, operation: (photos: Photos) => Promise<unknown>): MatrixCase => ({
  name: `a large value: ${name}`,
  setUp: async ({ peer, db, newName }) => {
    const container = newName('large');
    const blobs = peer.blobs().getContainerClient(container);
    await blobs.create();
    const { Photo, photosOf } = photosIn(container, await peer.newTable());
    const photos = photosOf(db);
    await photos.create({ id: 1, image: bytesOf(1) });
    return {
      operation: own => operation(photosOf(own)),
      rival: async own => {
        const others = photosOf(own);
        await others.upsert({ id: 1, image: bytesOf(8) });
        await others.mutate({ id: 2 }, now => ({ ...now, id: 2, image: bytesOf(9) }));
      },
      always: () => namedBy(photos),
      finally: async () => {
        const options = { container, olderThan: -1 };
        for await (const _ of sweep(OwnDb.serviceOf(db as never), Photo as never, options, -1));
        const left = (await collect(blobs.listBlobsFlat())).map(({ name: blob }) => blob);
        assert.deepEqual(left.sort(), [...(await namedBy(photos))].sort());
      },
    };
  },
});

crashMatrix('large', [
  largeCase('replace', photos => photos.mutate({ id: 1 }, now => now && { ...now, image: bytesOf(2) })),
  largeCase('create', photos => photos.create({ id: 2, image: bytesOf(2) })),
  largeCase('merge', photos => photos.merge({ key: { id: 1 }, etag: '*' }, { image: bytesOf(3) })),
  largeCase('merge of another property', photos =>
    photos.merge({ key: { id: 1 }, etag: '*' }, { title: 't' }),
  ),
  largeCase('delete', photos => photos.deleteIfExists({ key: { id: 1 }, etag: '*' })),
]);
