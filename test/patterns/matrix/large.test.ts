// Large values: after each request every row names blobs that are there, and what no row names at the end is what the sweeper takes.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import { largeBytes, larges } from '#patterns/large';
import { Db as OwnDb } from '../../../packages/patterns/repo/open.js';
import { sweep } from '../../../packages/patterns/shapes/large/large-blobs.js';
import { type Ground, matrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

const photoOf = (table: string) =>
  entity('Photo', {
    version: 1,
    table,
    props: { id: t.int32(), image: largeBytes({ over: 100 }).optional(), title: t.string().optional() },
    partition: key('photos'),
    row: p => key(p.id.as(codec.int(2))),
  });

interface World {
  readonly Photo: ReturnType<typeof photoOf>;
  readonly container: string;
}

const bytesOf = (value: number): Uint8Array => new Uint8Array(200).fill(value);
const photosOf = (db: Db, { Photo, container }: World) => larges(db, Photo, { container });

const setUp = async ({ peer, db, newName }: Ground): Promise<World> => {
  const world = { Photo: photoOf(await peer.newTable()), container: newName('large') };
  await peer.blobs().getContainerClient(world.container).create();
  await photosOf(db, world).create({ id: 1, image: bytesOf(1) });
  return world;
};

/** Gives the names of the blobs that rows name. */
async function assertNamed(world: World, { db }: Ground): Promise<ReadonlySet<string>> {
  const photos = photosOf(db, world);
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

async function assertSwept(world: World, ground: Ground): Promise<void> {
  const service = OwnDb.serviceOf(ground.db as never);
  const options = { container: world.container, olderThan: -1 };
  for await (const _ of sweep(service, world.Photo as never, options, -1));
  const named = await assertNamed(world, ground);
  const container = ground.peer.blobs().getContainerClient(world.container);
  const left: string[] = [];
  for await (const { name } of container.listBlobsFlat()) left.push(name);
  assert.deepEqual(left.sort(), [...named].sort());
}

const largeCase = (name: string, operation: (photos: ReturnType<typeof photosOf>) => Promise<unknown>) =>
  matrixCase<World>({
    name: `a large value: ${name}`,
    setUp,
    operation: (world, db) => operation(photosOf(db, world)),
    rival: async (world, db) => {
      const photos = photosOf(db, world);
      await photos.upsert({ id: 1, image: bytesOf(8) });
      await photos.mutate({ id: 2 }, now => ({ ...now, id: 2, image: bytesOf(9) }));
    },
    always: async (world, ground) => {
      await assertNamed(world, ground);
    },
    finally: assertSwept,
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
