// The Blob service's REST operations that the page uses.
import { type Asked, ask, pathOf, send } from './ask.js';
import { elementsAt, parseXml, textAt } from './xml.js';

const blobAsk = (account: string, asked: Omit<Asked, 'account' | 'service'>): Promise<Response> =>
  ask({ account, service: 'blob', ...asked });

export async function listContainers(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  let marker: string | undefined;
  do {
    const response = await blobAsk(account, { path: '/', query: { comp: 'list', marker }, signal });
    const root = parseXml(await response.text());
    names.push(...elementsAt(root, 'Containers', 'Container').map(each => textAt(each, 'Name')));
    marker = textAt(root, 'NextMarker') || undefined;
  } while (marker !== undefined);
  return names;
}

const CONTAINER = { restype: 'container' };

export async function createContainer(account: string, name: string): Promise<void> {
  await blobAsk(account, { method: 'PUT', path: `/${name}`, query: CONTAINER });
}

export async function deleteContainer(account: string, name: string): Promise<void> {
  await blobAsk(account, { method: 'DELETE', path: `/${name}`, query: CONTAINER });
}

export interface BlobItem {
  readonly name: string;
  /** The time of the snapshot; empty for the blob itself. */
  readonly snapshot: string;
  readonly bytes: number;
  readonly contentType: string;
  readonly modified: string;
  /** BlockBlob, AppendBlob or PageBlob. */
  readonly type: string;
  readonly leaseState: string;
}

export interface BlobPage {
  readonly folders: readonly string[];
  readonly blobs: readonly BlobItem[];
  readonly next: string | undefined;
}

const itemOf = (blob: Element): BlobItem => ({
  name: textAt(blob, 'Name'),
  snapshot: textAt(blob, 'Snapshot'),
  bytes: Number(textAt(blob, 'Properties', 'Content-Length')),
  contentType: textAt(blob, 'Properties', 'Content-Type'),
  modified: textAt(blob, 'Properties', 'Last-Modified'),
  type: textAt(blob, 'Properties', 'BlobType'),
  leaseState: textAt(blob, 'Properties', 'LeaseState'),
});

interface BlobQuery {
  readonly container: string;
  readonly prefix: string;
  readonly marker?: string | undefined;
  /** Without it names are not grouped to folders. */
  readonly delimiter?: string | undefined;
  readonly include?: string | undefined;
}

export async function listBlobs(
  account: string,
  { container, prefix, marker, delimiter, include }: BlobQuery,
  signal?: AbortSignal,
): Promise<BlobPage> {
  const query = {
    ...CONTAINER,
    comp: 'list',
    maxresults: '500',
    prefix: prefix || undefined,
    delimiter,
    marker,
    include,
  };
  const response = await blobAsk(account, { path: `/${container}`, query, signal });
  const root = parseXml(await response.text());
  return {
    folders: elementsAt(root, 'Blobs', 'BlobPrefix').map(each => textAt(each, 'Name')),
    blobs: elementsAt(root, 'Blobs', 'Blob').map(itemOf),
    next: textAt(root, 'NextMarker') || undefined,
  };
}

const blobPath = (container: string, name: string): string =>
  `/${container}/${name.split('/').map(encodeURIComponent).join('/')}`;

export interface BlobRef {
  readonly container: string;
  readonly name: string;
  readonly snapshot?: string;
}

const snapshotQuery = ({ snapshot }: BlobRef): NonNullable<Asked['query']> => ({
  snapshot: snapshot || undefined,
});

/** The headers of a blob: its properties, its metadata with their prefix, its lease. */
export async function blobHeaders(account: string, ref: BlobRef): Promise<Headers> {
  const path = blobPath(ref.container, ref.name);
  return (await blobAsk(account, { method: 'HEAD', path, query: snapshotQuery(ref) })).headers;
}

/** Its first bytes, or its last if `bytes` is negative. */
export async function readBytes(account: string, ref: BlobRef, bytes: number, size: number): Promise<Blob> {
  const path = blobPath(ref.container, ref.name);
  const range = bytes < 0 ? `bytes=${Math.max(0, size + bytes)}-${size - 1}` : `bytes=0-${bytes - 1}`;
  const headers = size === 0 ? {} : { 'x-ms-range': range };
  return (await blobAsk(account, { path, query: snapshotQuery(ref), headers })).blob();
}

export async function uploadBlob(account: string, { container, name }: BlobRef, file: File): Promise<void> {
  const type = file.type || 'application/octet-stream';
  await blobAsk(account, {
    method: 'PUT',
    path: blobPath(container, name),
    headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-blob-content-type': type, 'content-type': type },
    body: file,
  });
}

export async function deleteBlob(account: string, ref: BlobRef): Promise<void> {
  const headers = ref.snapshot ? {} : { 'x-ms-delete-snapshots': 'include' };
  const path = blobPath(ref.container, ref.name);
  await blobAsk(account, { method: 'DELETE', path, query: snapshotQuery(ref), headers });
}

export async function snapshotBlob(account: string, { container, name }: BlobRef): Promise<void> {
  await blobAsk(account, { method: 'PUT', path: blobPath(container, name), query: { comp: 'snapshot' } });
}

/** Refused with ConditionNotMet if the blob no longer has this ETag. */
export async function setMetadata(
  account: string,
  { container, name }: BlobRef,
  metadata: Readonly<Record<string, string>>,
  etag: string,
): Promise<void> {
  const entries = Object.entries(metadata).map(([key, value]) => [`x-ms-meta-${key}`, value]);
  const headers = Object.fromEntries([...entries, ['if-match', etag]]);
  await blobAsk(account, {
    method: 'PUT',
    path: blobPath(container, name),
    query: { comp: 'metadata' },
    headers,
  });
}

/** Ends any lease at once, also another client's. */
export async function breakLease(account: string, { container, name }: BlobRef): Promise<void> {
  await blobAsk(account, {
    method: 'PUT',
    path: blobPath(container, name),
    query: { comp: 'lease' },
    headers: { 'x-ms-lease-action': 'break', 'x-ms-lease-break-period': '0' },
  });
}

/** Has the browser save it; the server streams it. */
export async function download(account: string, ref: BlobRef): Promise<void> {
  const path = pathOf({
    account,
    service: 'blob',
    path: blobPath(ref.container, ref.name),
    query: snapshotQuery(ref),
  });
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
