// Queues and containers as input: from a dump, an Azurite folder, or another account.
import type { Blob, ContainerRecord } from '../blobs/blob-record.js';
import type { QueueContent } from '../queues/queue-record.js';

export interface InputPage {
  readonly blobs: readonly Blob[];
  /** Names and reasons of skipped ones. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Where the next page begins, to resume later; undefined after the last. */
  readonly next: string | undefined;
}

export interface InputContainer extends ContainerRecord {
  /** Pages by name from a place; '' is the start. */
  readonly pages: (from: string) => AsyncIterable<InputPage>;
}

export interface ContentInput {
  /** Undefined if the input cannot have any, such as a file of one table. */
  readonly queues?: readonly QueueContent[] | undefined;
  readonly containers?: readonly InputContainer[] | undefined;
}

/** Blobs per page: what a journal records together. */
const PAGE_BLOBS = 200;

/** Pages of blobs that are there in order; a place is how many come before it. */
export const pagesFrom = (all: () => AsyncIterable<Blob>, skipped: InputPage['skipped'] = []) =>
  async function* (from: string): AsyncGenerator<InputPage, void> {
    let place = 0;
    let blobs: Blob[] = [];
    for await (const blob of all()) {
      if (place++ < Number(from)) continue;
      blobs.push(blob);
      if (blobs.length < PAGE_BLOBS) continue;
      yield { blobs, skipped: [], next: String(place) };
      blobs = [];
    }
    yield { blobs, skipped, next: undefined };
  };
