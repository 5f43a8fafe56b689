// Faults to plant in the process that the simulation of blobs runs, and the words in which each must be found.
import { dropsFirst, namesFirst, withContent, withWriters } from '../../planted/content-plants.js';
import { withMembers } from '../../planted/members.js';
import type { Plant } from './world.js';

interface PlantedFault {
  readonly plant: Plant;
  readonly finding: RegExp;
}

const MISSING = /missing, or shorter|is missing|is not whole|explains this answer/;
const UNNAMED = /no row names the content/;

/** A sweep sees contents that no row names yet, because their writers still have them. */
const sweepsYoung = withContent(content => {
  const young = new Set<string>();
  return {
    create: async space => {
      const writer = await content.create(space);
      young.add(writer.id);
      return withMembers(writer, {
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
  // By the checksums, or by a client that reads it before.
  'a bit of a content flips on its way to the disk': {
    plant: { flipsFrom: 10_000 },
    finding: /is damaged|explains this answer/,
  },
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
  'a commit that deletes several rows leaves one': {
    plant: {
      plant: store =>
        withMembers(store, {
          commit: (space, partition, reads, decide) =>
            store.commit(space, partition, reads, (...call) => {
              const { deletes = [], ...decision } = decide(...call);
              return { ...decision, deletes: deletes.slice(0, Math.max(1, deletes.length - 1)) };
            }),
        }),
    },
    finding: /rows are left|explains this answer/,
  },
  'a commit is answered before it is done': {
    plant: {
      plant: store =>
        withMembers(store, {
          commit: async (space, partition, reads, decide) => {
            let answer: ReturnType<typeof decide>['result'] | undefined;
            await store.commit(space, partition, reads, (...call) => {
              answer = decide(...call).result;
              return { result: undefined };
            });
            void store.commit(space, partition, reads, decide).catch(() => undefined);
            return answer;
          },
        }),
    },
    finding: /explains this answer/,
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
export const HONEST: Plant = { plant: withWriters(() => ({})) };
