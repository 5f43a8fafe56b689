// Reads a blob's content: a reader gets the content of one head, whole, even while the blob is replaced or deleted.
import { type Row, type Space, StoreError } from '#store';
import type { BlobContext } from '../blob-context.js';
import { rowsName } from '../contests.js';
import { decodeHead, type Head, type Piece } from '../rows/head.js';
import { headKey } from '../rows/keys.js';
import { endOf, extentsIn } from './extents-in.js';
import { piecesOf } from './pieces-of.js';

/** Bytes of the range in which one scan looks for extents. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const ZEROS = Buffer.alloc(65_536);
const ATTEMPTS = 5;

export interface Bounds {
  readonly from: number;
  readonly until: number;
}

interface OpenedBody {
  readonly head: Head;
  readonly bounds: Bounds;
  /** Must be iterated or returned, because it holds its rows. */
  readonly content: Buffer | AsyncIterable<Buffer>;
}

/** Holds what a reader needs that reads several contents or rows, one after the other; to be called before the head is read. */
export function guard(
  context: Pick<BlobContext, 'content' | 'background'>,
  space: Space,
  blob: string,
): () => void {
  const pin = context.content.pin();
  const release = context.background.hold(rowsName(space, blob));
  return () => {
    pin.release();
    release();
  };
}

const needsGuard = ({ layers, manifest, pieces }: Head): boolean =>
  layers.length > 0 || manifest !== undefined || pieces.length > 1;

interface BoundedHead {
  readonly head: Head;
  readonly bounds: Bounds;
}

type BoundsOf = (head: Head | undefined) => BoundedHead;

/**
 * `boundsOf` checks the head, undefined where there is none, and returns the range to read; it is called again if the blob was changed
 * while its content was opened.
 */
export async function openBody(
  context: BlobContext,
  space: Space,
  blob: string,
  snapshot: bigint | undefined,
  boundsOf: BoundsOf,
): Promise<OpenedBody> {
  const keys = [headKey(snapshot)];
  const look = ([row]: readonly (Row | undefined)[]): FoundRow => ({
    row,
    found: boundsOf(row && decodeHead(row.value)),
  });
  // Not in `openContents`: a small blob pays for no function that waits.
  const first = look(await context.store.read(space, blob, keys));
  return (
    inRow(first.found) ??
    openContents(
      context,
      space,
      blob,
      snapshot,
      async () => look(await context.store.read(space, blob, keys)),
      first,
    )
  );
}

/** The content of a small blob, which needs no content opened. */
function inRow({ head, bounds }: BoundedHead): OpenedBody | undefined {
  const { inline } = head;
  const { from, until } = bounds;
  if (inline !== undefined) {
    const isWhole = from === 0 && until === inline.length;
    return { head, bounds, content: isWhole ? inline : inline.subarray(from, until) };
  }
  return from >= until ? { head, bounds, content: Buffer.alloc(0) } : undefined;
}

interface FoundRow {
  readonly row: Row | undefined;
  readonly found: BoundedHead;
}

async function openContents(
  context: BlobContext,
  space: Space,
  blob: string,
  snapshot: bigint | undefined,
  look: () => Promise<FoundRow>,
  first: FoundRow,
): Promise<OpenedBody> {
  let release: (() => void) | undefined;
  let failed: Row | undefined;
  /** A reader during uninterrupted writes finally gets pages of several moments. */
  const isSame =
    (version: bigint | undefined, { etag }: Head) =>
    async (): Promise<boolean> => {
      const [row] = await context.store.read(space, blob, [headKey(snapshot)]);
      return row !== undefined && (row.version === version || decodeHead(row.value).etag === etag);
    };
  try {
    for (let attempt = 0, now = first; ; attempt++, now = await look()) {
      const { row, found } = now;
      const { head, bounds } = found;
      const small = inRow(found);
      if (small !== undefined) return small;
      // After it was gone once, the content is pinned the next time, so that it stays however often the blob is replaced.
      if (release === undefined && (needsGuard(head) || failed !== undefined)) {
        release = guard(context, space, blob);
        continue;
      }
      const checked = attempt < ATTEMPTS ? isSame(row?.version, head) : undefined;
      const source = contentOf(context, space, blob, head, bounds, checked);
      const begun = await source.next().catch((error: unknown) => {
        const isGone = error instanceof StoreError && error.code === 'corrupt';
        if (!isGone || attempt >= ATTEMPTS || failed?.version === row?.version) throw error;
        failed = row;
      });
      if (begun === undefined) continue;
      const content = new BegunContent(begun, source, release);
      release = undefined;
      return { head, bounds, content };
    }
  } finally {
    release?.();
  }
}

/** A content whose first piece is loaded. Releases its resources at its end, also if it is returned without being iterated. */
class BegunContent implements AsyncIterableIterator<Buffer> {
  readonly #source: AsyncGenerator<Buffer>;
  readonly #release: (() => void) | undefined;
  #first: IteratorResult<Buffer> | undefined;

  constructor(
    first: IteratorResult<Buffer>,
    source: AsyncGenerator<Buffer>,
    release: (() => void) | undefined,
  ) {
    this.#first = first;
    this.#source = source;
    this.#release = release;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    try {
      const result = this.#first ?? (await this.#source.next());
      this.#first = undefined;
      if (result.done) this.#release?.();
      return result;
    } catch (error) {
      this.#release?.();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#first = undefined;
    try {
      return await this.#source.return(undefined);
    } finally {
      this.#release?.();
    }
  }
}

function contentOf(
  context: BlobContext,
  space: Space,
  blob: string,
  head: Head,
  bounds: Bounds,
  isSame: (() => Promise<boolean>) | undefined,
): AsyncGenerator<Buffer> {
  return head.type === 'BlockBlob'
    ? contentOfPieces(context, space, head, bounds)
    : contentOfExtents(context, space, blob, head, bounds, isSame);
}

async function* contentOfPieces(
  { content }: BlobContext,
  space: Space,
  head: Head,
  { from, until }: Bounds,
): AsyncGenerator<Buffer> {
  let start = 0;
  for (const piece of await piecesOf(content, space, head)) {
    const first = Math.max(from, start);
    const last = Math.min(until, start + piece.length);
    if (first < last)
      yield* content.read(space, piece.content, ...within(piece, first - start, last - start));
    start += piece.length;
    if (start >= until) return;
  }
}

const within = ({ from }: Piece, first: number, last: number): [number, number] => [
  from + first,
  from + last,
];

function* zeros(count: number): Generator<Buffer> {
  for (let left = count; left > 0; left -= ZEROS.length)
    yield ZEROS.subarray(0, Math.min(left, ZEROS.length));
}

/**
 * Zeros where a page blob has no pages. `isSame` checks that the blob is still that of the head: the pages of the first window are of
 * its moment. Those of later windows may have been written since (docs/gaps.md).
 */
async function* contentOfExtents(
  { store, content }: BlobContext,
  space: Space,
  blob: string,
  { type, layers }: Head,
  { from, until }: Bounds,
  isSame: (() => Promise<boolean>) | undefined,
): AsyncGenerator<Buffer> {
  let at = from;
  while (at < until) {
    const end = Math.min(at + WINDOW_BYTES, until);
    const found = await extentsIn(store, space, blob, layers, at, end);
    if (type === 'PageBlob' && at === from && isSame !== undefined && !(await isSame()))
      throw new StoreError('corrupt', `Pages of '${blob}' were written while they were read.`);
    for (const placed of found) {
      if (type === 'AppendBlob' && placed.start > at) throw missing(blob, at);
      yield* zeros(placed.start - at);
      const { extent } = placed;
      if (extent.inline !== undefined) yield extent.inline;
      else if (extent.content !== undefined)
        yield* content.read(space, extent.content, extent.from, extent.from + extent.length);
      at = endOf(placed);
    }
    if (type === 'AppendBlob' && at < end) throw missing(blob, at);
    yield* zeros(end - at);
    at = end;
  }
}

const missing = (blob: string, at: number): StoreError =>
  new StoreError('corrupt', `The blob '${blob}' has nothing at byte ${at}.`);
