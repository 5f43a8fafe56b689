// Get Blob, Get Blob Properties, Get Blob Metadata, Get Blob Tags (protocol: blobs#get-blob).
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { type Bounds, openBody } from '../body/read-body.js';
import type { ByteRange, OnSnapshotIf, OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { containerAddress, openContainer, there } from '../rows/container-space.js';
import type { Head } from '../rows/head.js';
import { admitRead, checkOnline, readHead, seenBlob, stampOf } from './admission.js';

/** @throws BlobError InvalidRange where nothing of the range is there, so for any range of an empty blob. */
export function boundsOf(range: ByteRange | undefined, length: number): Bounds {
  if (range === undefined) return { from: 0, until: length };
  if (range.from >= length) throw new BlobError('InvalidRange', { length });
  return { from: range.from, until: Math.min(range.until ?? length, length) };
}

export async function getBlob(context: BlobContext, operation: OperationOf<'getBlob'>): Promise<Outcome> {
  const { container, blob, snapshot, range, conditions } = operation;
  const space = there(await context.store.getSpace(containerAddress(context.account, container)));
  const now = context.clock();
  const { head, bounds, content } = await openBody(context, space, blob, snapshot, found => {
    const admitted = admitRead(found, conditions, snapshot, now, container);
    checkOnline(admitted);
    return { head: admitted, bounds: boundsOf(range, admitted.length) };
  });
  return {
    kind: 'blobContent',
    blob: seenBlob(head, snapshot, now),
    range: range && bounds,
    content,
  };
}

/** Whether there is a committed blob of that name. Fails with BlobError ContainerNotFound. */
export async function isBlobThere(context: BlobContext, container: string, blob: string): Promise<boolean> {
  return (await readHead(context, await openContainer(context, container), blob)) !== undefined;
}

async function admittedHead(
  context: BlobContext,
  { container, blob, snapshot, conditions }: OnSnapshotIf,
): Promise<Head> {
  const head = await readHead(context, await openContainer(context, container), blob, snapshot);
  return admitRead(head, conditions, snapshot, context.clock(), container);
}

export async function getBlobProperties(
  context: BlobContext,
  operation: OperationOf<'getBlobProperties'>,
): Promise<Outcome> {
  const head = await admittedHead(context, operation);
  return { kind: 'blobProperties', blob: seenBlob(head, operation.snapshot, context.clock()) };
}

export async function getBlobMetadata(
  context: BlobContext,
  operation: OperationOf<'getBlobMetadata'>,
): Promise<Outcome> {
  const head = await admittedHead(context, operation);
  return { kind: 'blobMetadata', stamp: stampOf(head), metadata: head.metadata };
}

export async function getTags(context: BlobContext, operation: OperationOf<'getTags'>): Promise<Outcome> {
  const { tags } = await admittedHead(context, operation);
  return { kind: 'tags', tags };
}
