// Faults to plant in the process that the simulation of blobs runs, and the words in which each must be found.
import type { ContentStore, ContentWriter, Space, StoreWithContent } from '#store';
import type { Plant } from './world.js';

export interface PlantedFault {
  readonly plant: Plant;
  readonly finding: RegExp;
}

const MISSING = /missing, or shorter|is missing|is not whole|explains this answer/;
const UNNAMED = /no row names the content/;

type Change = (content: ContentStore, store: StoreWithContent) => Partial<ContentStore>;

/** The rest is passed on. */
const withContent =
  (change: Change) =>
  (store: StoreWithContent): StoreWithContent => {
    const { content } = store;
    const whole: ContentStore = {
      create: space => content.create(space),
      read: (space, id, from, until) => content.read(space, id, from, until),
      pin: () => content.pin(),
      unpinnedElsewhere: () => content.unpinnedElsewhere(),
      drop: (space, id) => content.drop(space, id),
      list: space => content.list(space),
    };
    return { ...store, content: { ...whole, ...change(content, store) } };
  };

const changed = (writer: ContentWriter, change: Partial<ContentWriter>): ContentWriter => ({
  id: writer.id,
  write: piece => writer.write(piece),
  finish: () => writer.finish(),
  release: () => writer.release(),
  discard: () => writer.discard(),
  ...change,
});

const withWriters = (change: (writer: ContentWriter) => Partial<ContentWriter>) =>
  withContent(content => ({
    create: async space => {
      const writer = await content.create(space);
      return changed(writer, change(writer));
    },
  }));

/** It is finished after a row names it. */
const namesFirst = withWriters(writer => ({
  finish: async () => Buffer.alloc(8),
  release: () =>
    void writer.finish().then(
      () => writer.release(),
      () => undefined,
    ),
}));

/** A blob's content is dropped before the commit that replaces it. */
function dropsFirst(store: StoreWithContent): StoreWithContent {
  const drop = async (space: Space, blob: string): Promise<void> => {
    const { contentsNamedBy } = await import('#blobs');
    const [row] = await store.read(space, blob, ['B']);
    if (row) for (const { id } of contentsNamedBy(space, row)) await store.content.drop(space, id);
  };
  return {
    ...store,
    commit: async (space, partition, reads, decide) => {
      await drop(space, partition);
      return store.commit(space, partition, reads, decide);
    },
  };
}

/** A sweep sees contents that no row names yet, because their writers still have them. */
const sweepsYoung = withContent(content => {
  const young = new Set<string>();
  return {
    create: async space => {
      const writer = await content.create(space);
      young.add(writer.id);
      return changed(writer, {
        release: () => {
          young.delete(writer.id);
          writer.release();
        },
      });
    },
    async *list(space) {
      yield* content.list(space);
      for (const id of young) yield { id };
    },
  };
});

export const PLANTED_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'the row flips before the content is durable': { plant: { plant: namesFirst }, finding: MISSING },
  'a content is dropped before the commit by which no row names it': {
    plant: { plant: dropsFirst },
    finding: MISSING,
  },
  'a sweep takes a content that is about to be named': { plant: { plant: sweepsYoung }, finding: MISSING },
  'the directory of a space is not synced': {
    plant: { losesNames: path => /^contents\/\d+$/.test(path) },
    finding: MISSING,
  },
  'the directory of all contents is not synced': {
    plant: { losesNames: path => path === 'contents' },
    finding: MISSING,
  },
  'the directory of the store is not synced': {
    plant: { losesNames: path => path === '.' },
    finding: MISSING,
  },
  'the last pieces of a content are not synced': { plant: { losesBytes: true }, finding: MISSING },
  'a small content is not written synchronously': { plant: { losesWrites: true }, finding: MISSING },
  // No list of blocks is this long: one that cannot be decoded would be found without checksums.
  'a bit of a content flips on its way to the disk': { plant: { flipsFrom: 10_000 }, finding: /is damaged/ },
  'contents that are pinned are removed': {
    plant: { plant: withContent(() => ({ pin: () => ({ release: () => undefined }) })) },
    finding: MISSING,
  },
  'nothing is removed': {
    plant: { plant: withContent(() => ({ drop: async () => undefined })) },
    finding: UNNAMED,
  },
  'a sweep sees nothing': {
    plant: {
      plant: withContent(() => ({
        async *list() {
          yield* [];
        },
      })),
    },
    finding: UNNAMED,
  },
  'the end of a content is another one': {
    plant: {
      plant: withWriters(writer => {
        let isFirst = true;
        return {
          write: async piece => {
            await writer.write(isFirst ? piece : Buffer.alloc(piece.length));
            isFirst = false;
          },
        };
      }),
    },
    finding: /explains this answer/,
  },
};

/** Calls are only passed on. */
export const HONEST: Plant = { plant: store => withWriters(() => ({}))(store) };
