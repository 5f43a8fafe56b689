// What the page does with containers and blobs.
import type {
  BlobGetPropertiesResponse,
  BlobItem,
  BlockBlobClient,
  ContainerClient,
} from '@azure/storage-blob';
import { pathOf, send } from './ask.js';

const containerOf = async (account: string, name: string): Promise<ContainerClient> =>
  (await import('./clients.js')).blobService(account).getContainerClient(name);

export interface BlobRef {
  readonly container: string;
  readonly name: string;
  readonly snapshot?: string;
}

async function clientOf(account: string, { container, name, snapshot }: BlobRef): Promise<BlockBlobClient> {
  const client = (await containerOf(account, container)).getBlockBlobClient(name);
  return snapshot ? client.withSnapshot(snapshot) : client;
}

export async function listContainers(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const { blobService } = await import('./clients.js');
  const names: string[] = [];
  for await (const { name } of blobService(account).listContainers(signal && { abortSignal: signal }))
    names.push(name);
  return names;
}

export async function createContainer(account: string, name: string): Promise<void> {
  await (await containerOf(account, name)).create();
}

export async function deleteContainer(account: string, name: string): Promise<void> {
  await (await containerOf(account, name)).delete();
}

export interface BlobPage {
  readonly folders: readonly string[];
  readonly blobs: readonly BlobItem[];
  readonly next: string | undefined;
}

interface Place {
  readonly container: string;
  readonly prefix: string;
  /** Where the list goes on. */
  readonly marker: string | undefined;
}

const PAGE_BLOBS = 500;

/** The folders and blobs below a prefix. */
export async function listBlobs(
  account: string,
  { container, prefix, marker }: Place,
  signal?: AbortSignal,
): Promise<BlobPage> {
  const client = await containerOf(account, container);
  const list = client.listBlobsByHierarchy('/', { prefix, ...(signal && { abortSignal: signal }) });
  const page = { maxPageSize: PAGE_BLOBS, ...(marker !== undefined && { continuationToken: marker }) };
  const { value } = await list.byPage(page).next();
  const { segment, continuationToken } = value;
  return {
    folders: (segment.blobPrefixes ?? []).map(({ name }: { readonly name: string }) => name),
    blobs: segment.blobItems,
    next: continuationToken || undefined,
  };
}

/** The times of a blob's snapshots, the oldest first. */
export async function listSnapshots(
  account: string,
  { container, name }: BlobRef,
): Promise<readonly string[]> {
  const client = await containerOf(account, container);
  const list = client.listBlobsFlat({ prefix: name, includeSnapshots: true });
  const { value } = await list.byPage({ maxPageSize: PAGE_BLOBS }).next();
  const blobs: readonly BlobItem[] = value.segment.blobItems;
  return blobs.filter(blob => blob.name === name && blob.snapshot).map(({ snapshot }) => snapshot);
}

export async function blobProperties(account: string, ref: BlobRef): Promise<BlobGetPropertiesResponse> {
  return (await clientOf(account, ref)).getProperties();
}

/** Its first bytes, or its last if `bytes` is negative. */
export async function readBytes(account: string, ref: BlobRef, bytes: number, size: number): Promise<Blob> {
  const client = await clientOf(account, ref);
  const answer = await client.download(bytes < 0 ? Math.max(0, size + bytes) : 0, Math.abs(bytes));
  return (await answer.blobBody) ?? new Blob();
}

export async function uploadBlob(account: string, ref: BlobRef, file: File): Promise<void> {
  const client = await clientOf(account, ref);
  const blobContentType = file.type || 'application/octet-stream';
  await client.uploadData(file, { blobHTTPHeaders: { blobContentType } });
}

export async function deleteBlob(account: string, ref: BlobRef): Promise<void> {
  const client = await clientOf(account, ref);
  await client.delete(ref.snapshot ? {} : { deleteSnapshots: 'include' });
}

export async function snapshotBlob(account: string, ref: BlobRef): Promise<void> {
  await (await clientOf(account, ref)).createSnapshot();
}

/** Refused with ConditionNotMet if the blob no longer has this ETag. @returns the new one. */
export async function setMetadata(
  account: string,
  ref: BlobRef,
  metadata: Record<string, string>,
  etag: string,
): Promise<string> {
  const client = await clientOf(account, ref);
  return (await client.setMetadata(metadata, { conditions: { ifMatch: etag } })).etag ?? '*';
}

/** Ends any lease at once, also another client's. */
export async function breakLease(account: string, ref: BlobRef): Promise<void> {
  await (await clientOf(account, ref)).getBlobLeaseClient().breakLease(0);
}

/** Has the browser save it; the server streams it. */
export async function download(account: string, ref: BlobRef): Promise<void> {
  const path = pathOf(account, 'blob', (await clientOf(account, ref)).url);
  const response = await send('/downloads', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path, name: ref.name.split('/').at(-1) ?? ref.name }),
  });
  const { url } = (await response.json()) as { readonly url: string };
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
