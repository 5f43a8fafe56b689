// Faults to plant in a store with contents: of the simulation, and of power cuts.
import type { ContentStore, ContentWriter, StoreWithContent } from '#store';
import { withMembers } from './members.js';

export type ContentPlant = (store: StoreWithContent) => StoreWithContent;

export const withContent =
  (change: (content: ContentStore) => Partial<ContentStore>): ContentPlant =>
  store =>
    withMembers(store, { content: withMembers(store.content, change(store.content)) });

export const withWriters = (change: (writer: ContentWriter) => Partial<ContentWriter>): ContentPlant =>
  withContent(content => ({
    create: async space => {
      const writer = await content.create(space);
      return withMembers(writer, change(writer));
    },
  }));

/** A content is finished after a row names it. */
export const namesFirst = withWriters(writer => ({
  write: piece => writer.write(Buffer.from(piece)),
  finish: async () => Buffer.alloc(8),
  release: () =>
    void writer.finish().then(
      () => writer.release(),
      () => undefined,
    ),
}));

/** A blob's content is dropped before the commit that replaces it. */
export const dropsFirst: ContentPlant = store =>
  withMembers(store, {
    commit: async (space, partition, reads, decide) => {
      // The simulation replaces calls of node:fs before anything that uses them is loaded.
      const { contentsNamedBy } = await import('#blobs');
      const [row] = await store.read(space, partition, ['B']);
      if (row) for (const { id } of contentsNamedBy(space, row)) await store.content.drop(space, id);
      return store.commit(space, partition, reads, decide);
    },
  });
