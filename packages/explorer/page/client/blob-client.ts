// What the page does with containers and blobs in more than one step.
import type { BlobItem, BlockBlobClient } from '@azure/storage-blob';
import { containerOf, type Place, pathOf } from './account.js';
import { posted } from './ask.js';
import { saveAs } from './file.js';
import { fetchValue } from './session.js';

export interface BlobRef {
  readonly container: Place;
  readonly name: string;
  readonly snapshot?: string;
}

export async function blobOf({ container, name, snapshot = '' }: BlobRef): Promise<BlockBlobClient> {
  const client = (await containerOf(container)).getBlockBlobClient(name);
  return snapshot === '' ? client : client.withSnapshot(snapshot);
}

export interface BlobPage {
  readonly folders: readonly string[];
  readonly blobs: readonly BlobItem[];
  /** Where the list continues. */
  readonly next: string | undefined;
}

const NOTHING: BlobPage = { folders: [], blobs: [], next: undefined };
const PAGE_BLOBS = 500;

/** The folders and blobs below a prefix: the first page, or those of a page before and the next ones. */
export async function listBlobs(
  container: Place,
  prefix: string,
  { folders, blobs, next }: BlobPage = NOTHING,
  abortSignal: AbortSignal,
): Promise<BlobPage> {
  const client = await containerOf(container);
  const list = client.listBlobsByHierarchy('/', { prefix, abortSignal });
  const page = { maxPageSize: PAGE_BLOBS, ...(next !== undefined && { continuationToken: next }) };
  const { value } = await list.byPage(page).next();
  const { segment, continuationToken } = value;
  const found = (segment.blobPrefixes ?? []).map(({ name }: { readonly name: string }) => name);
  return {
    folders: [...folders, ...found],
    blobs: [...blobs, ...segment.blobItems],
    next: continuationToken || undefined,
  };
}

/** The times of a blob's snapshots, the oldest first. */
export async function listSnapshots({ container, name }: BlobRef): Promise<readonly string[]> {
  const client = await containerOf(container);
  const list = client.listBlobsFlat({ prefix: name, includeSnapshots: true });
  const { value } = await list.byPage({ maxPageSize: PAGE_BLOBS }).next();
  const blobs: readonly BlobItem[] = value.segment.blobItems;
  return blobs.filter(blob => blob.name === name && blob.snapshot).map(({ snapshot }) => snapshot);
}

/** Its first bytes, or its last if `bytes` is negative. */
export async function readBytes(ref: BlobRef, bytes: number, size: number): Promise<Blob> {
  const client = await blobOf(ref);
  const answer = await client.download(bytes < 0 ? Math.max(0, size + bytes) : 0, Math.abs(bytes));
  return (await answer.blobBody) ?? new Blob();
}

/** Has the browser save it; the server streams it. */
export async function download(ref: BlobRef): Promise<void> {
  const path = pathOf(ref.container.account, 'blob', (await blobOf(ref)).url);
  const asked = posted({ path, name: ref.name.split('/').at(-1) ?? ref.name });
  saveAs((await fetchValue<{ readonly url: string }>('/downloads', asked)).url, '');
}
