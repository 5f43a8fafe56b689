// The source of a copy, and of operations that take their body from a URL: another blob of this server (protocol: conditions#sources).
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError, type BlobErrorCode } from '../blob-error.js';
import { type Bounds, openBody } from '../body/read-body.js';
import { type Incoming, type Received, receive, settling } from '../body/receive.js';
import type { ByteRange, OnBlob, Source, SourceRange, Upload } from '../operation.js';
import { openContainer } from '../rows/container-space.js';
import type { Head } from '../rows/head.js';
import {
  type ConditionFailures,
  checkAgainst,
  checkLease,
  OF_BODY_SOURCE,
  OF_COPY_SOURCE,
  OF_WHOLE_SOURCE,
} from '../values/conditions.js';
import { isArchived, readHead } from './admission.js';
import { boundsOf } from './read-blob.js';

/** Error codes for failures of the source. */
interface SourceFailures {
  readonly missing: BlobErrorCode;
  readonly conditions: ConditionFailures;
  /** Undefined where an archived source is still read. */
  readonly archived?: BlobErrorCode;
  /** Undefined where blobs of all kinds are sources. */
  readonly otherThanBlocks?: BlobErrorCode;
}

const ARCHIVED = 'CannotVerifyCopySource:Archived';

/** Where the body comes from a URL. */
const sourceFailures: SourceFailures = {
  missing: 'CannotVerifyCopySource:Missing',
  conditions: OF_BODY_SOURCE,
  archived: ARCHIVED,
};

/** Where all of a blob comes from a URL. */
export const wholeSourceFailures: SourceFailures = { ...sourceFailures, conditions: OF_WHOLE_SOURCE };

/** Where a blob is copied. */
export const copyFailures: SourceFailures = { missing: 'BlobNotFound', conditions: OF_COPY_SOURCE };

/** Copy Blob From URL (protocol: blobs#copies). */
export const synchronousCopyFailures: SourceFailures = {
  ...copyFailures,
  archived: ARCHIVED,
  otherThanBlocks: 'CannotVerifyCopySource:BlockBlob',
};

export interface OpenedSource {
  readonly space: Space;
  readonly head: Head;
  readonly length: number;
  readonly pieces: AsyncIterable<Buffer>;
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}

/** Opens the source for as long as `use` runs. */
export async function withSource<T>(
  context: BlobContext,
  source: Source,
  range: ByteRange | undefined,
  failures: SourceFailures,
  use: (opened: OpenedSource) => Promise<T>,
): Promise<T> {
  const reading = { ...context, account: source.account };
  const space = await openContainer(reading, source.container).catch((error: unknown) => {
    throw error instanceof BlobError ? new BlobError(failures.missing) : error;
  });
  const opened = await openBody(reading, space, source.blob, source.snapshot, head => {
    const admitted = admitSource(reading, source, head, failures);
    return { head: admitted, bounds: boundsOf(range, admitted.length) };
  });
  const { head, content } = opened;
  const pieces = Buffer.isBuffer(content) ? onePiece(content) : content;
  try {
    return await use({ space, head, length: lengthOf(opened.bounds), pieces });
  } finally {
    if (!Buffer.isBuffer(content)) await content[Symbol.asyncIterator]().return?.();
  }
}

type OfBody = OnBlob & ({ readonly upload: Upload } | { readonly source: SourceRange });

/**
 * Stores the body that came with a request, or that of its source, and commits it.
 *
 * @param admit refuses what the commit would refuse, before a large body is stored.
 */
export async function storeBody<T>(
  context: BlobContext,
  operation: OfBody,
  bytesMax: number,
  admit: (head: Head | undefined) => void,
  commit: (space: Space, received: Received) => Promise<T>,
): Promise<T> {
  const space = await openContainer(context, operation.container);
  const store = async (incoming: Incoming, withMd5: boolean): Promise<T> => {
    const precheck = async () => admit(await readHead(context, space, operation.blob));
    const received = await receive(context, space, incoming, { withMd5, precheck, bytesMax });
    return settling([received.writer], () => commit(space, received));
  };
  // The answer has the MD5 of a body from a URL.
  if ('upload' in operation) return store(operation.upload, operation.upload.wantsMd5);
  const { source } = operation;
  return withSource(context, source, source.range, sourceFailures, ({ length, pieces }) =>
    store({ length, pieces, md5: source.md5, crc64: source.crc64 }, true),
  );
}

const lengthOf = ({ from, until }: Bounds): number => until - from;

/** A lease on the source matters only where its id is sent. */
function admitSource(
  { clock }: Pick<BlobContext, 'clock'>,
  { container, snapshot, conditions }: Source,
  head: Head | undefined,
  failures: SourceFailures,
): Head {
  if (head === undefined) throw new BlobError(failures.missing);
  if (snapshot === undefined) checkLease(head.lease, conditions.leaseId, clock(), false, 'Blob');
  checkAgainst(conditions, head, container, failures.conditions);
  const { archived, otherThanBlocks } = failures;
  if (otherThanBlocks !== undefined && head.type !== 'BlockBlob') throw new BlobError(otherThanBlocks);
  if (archived !== undefined && isArchived(head)) throw new BlobError(archived);
  return head;
}
