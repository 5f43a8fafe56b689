// Queues and containers as input: from a dump, an Azurite folder, or another account.
import type { Blob, ContainerRecord } from '../blobs/blob-record.js';
import type { QueueContent } from '../queues/queue-account.js';
import { inPages } from '../source/pages.js';

export interface InputPage {
  readonly blobs: readonly Blob[];
  /** Names and reasons of skipped ones. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export interface InputContainer extends ContainerRecord {
  /** By name. */
  readonly pages: () => AsyncIterable<InputPage>;
}

export interface ContentInput {
  /** Undefined if the input cannot have any, such as a file of one table. */
  readonly queues?: readonly QueueContent[] | undefined;
  readonly containers?: readonly InputContainer[] | undefined;
}

const PAGE_BLOBS = 200;

/** Pages of blobs that are there in order. */
export async function* pagesOfBlobs(
  blobs: Iterable<Blob> | AsyncIterable<Blob>,
  skipped: InputPage['skipped'] = [],
): AsyncGenerator<InputPage, void> {
  for await (const page of inPages(blobs, PAGE_BLOBS)) yield { blobs: page, skipped: [] };
  if (skipped.length > 0) yield { blobs: [], skipped };
}
