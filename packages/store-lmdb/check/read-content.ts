// Reads a content's whole file, for a check or a copy, and compares its bytes with the checksums behind them. It
// reports where bytes were flipped, cut off, appended or taken from another content.
import { fstatSync } from 'node:fs';
import { isSummed } from '../content/content-path.js';
import {
  FOOTER_BYTES,
  isUnitWhole,
  isWhole,
  readFooter,
  trailerBytes,
  UNIT_BYTES,
} from '../content/content-sums.js';
import { closeFile, openFile, readFrom } from '../lmdb/system-call.js';

/** Whole units. */
const PIECE_BYTES = 4 * UNIT_BYTES;

/** A range of a content's bytes, half-open. */
export type ByteRange = readonly [from: number, until: number];

/** What is wrong with a file: either the end of a sentence, or the ranges that differ from what was written. */
export type Damage =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'bytes'; readonly ranges: readonly ByteRange[] };

/** Receives the file piece by piece, including its checksums. */
type TakePiece = (piece: Buffer, at: number) => Promise<void> | void;

/**
 * Undefined for a content that is as it was written, and for one without checksums. Fails with what `take` fails with.
 */
export async function readContent(path: string, id: string, take: TakePiece): Promise<Damage | undefined> {
  const file = await openFile(path, 'r').catch((error: unknown) => unreadable(error));
  if (typeof file !== 'number') return file;
  try {
    const { size } = fstatSync(file);
    const trailer = isSummed(id) ? await trailerOf(file, id, size) : undefined;
    if (trailer !== undefined && !Buffer.isBuffer(trailer)) return trailer;
    const length = trailer === undefined ? size : size - trailer.length;
    const ranges: ByteRange[] = [];
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(length, 1)));
    for (let at = 0; at < length; at += piece.length) {
      const part = await readAt(file, piece.subarray(0, Math.min(piece.length, length - at)), at);
      if (!Buffer.isBuffer(part)) return part;
      if (trailer !== undefined) addDamaged(ranges, trailer, part, at);
      await take(part, at);
    }
    if (trailer !== undefined) await take(trailer, length);
    return ranges.length === 0 ? undefined : { kind: 'bytes', ranges };
  } finally {
    await closeFile(file);
  }
}

/** The checksums, or the damage that makes them unusable. */
async function trailerOf(file: number, id: string, size: number): Promise<Buffer | Damage> {
  if (size < FOOTER_BYTES) return damagedSums;
  const end = await readAt(file, Buffer.allocUnsafeSlow(FOOTER_BYTES), size - FOOTER_BYTES);
  if (!Buffer.isBuffer(end)) return end;
  const footer = readFooter(end, size);
  if (footer === undefined) return damagedSums;
  const trailer = await readAt(file, Buffer.allocUnsafeSlow(trailerBytes(footer.length)), footer.length);
  if (!Buffer.isBuffer(trailer)) return trailer;
  if (!isWhole(trailer)) return damagedSums;
  return footer.id === id ? trailer : { kind: 'file', text: `has the file of the content ${footer.id}` };
}

const damagedSums: Damage = {
  kind: 'file',
  text: 'does not end with its checksums: its file was cut off, or became longer, or they are damaged',
};

function addDamaged(ranges: ByteRange[], trailer: Buffer, part: Buffer, at: number): void {
  for (let from = at; from < at + part.length; from += UNIT_BYTES) {
    const until = Math.min(from + UNIT_BYTES, at + part.length);
    if (isUnitWhole(trailer, from / UNIT_BYTES, part.subarray(from - at, until - at))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], until];
    else ranges.push([from, until]);
  }
}

/** Fills all of `into`, or returns the reason why not. */
async function readAt(file: number, into: Buffer, at: number): Promise<Buffer | Damage> {
  for (let done = 0; done < into.length; ) {
    try {
      const { bytesRead } = await readFrom(file, into, done, into.length - done, at + done);
      if (bytesRead === 0) return { kind: 'file', text: 'became shorter while it was read' };
      done += bytesRead;
    } catch (error) {
      return unreadable(error);
    }
  }
  return into;
}

const unreadable = (error: unknown): Damage => ({
  kind: 'file',
  text: `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
});
