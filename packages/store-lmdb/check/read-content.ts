// Reads a content's whole file, for a check or a copy, and compares its bytes with the checksums behind them. It
// reports where bytes were flipped, cut off, appended or taken from another content.
import { fstatSync } from 'node:fs';
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

/** Makes the whole file useless; the message is the end of a sentence. */
class BadFile extends Error {}

/** Undefined for a content that is as it was written. Fails with what `take` fails with. */
export async function readContent(path: string, id: string, take: TakePiece): Promise<Damage | undefined> {
  try {
    const ranges = await damagedRanges(path, id, take);
    return ranges.length === 0 ? undefined : { kind: 'bytes', ranges };
  } catch (error) {
    if (error instanceof BadFile) return { kind: 'file', text: error.message };
    throw error;
  }
}

async function damagedRanges(path: string, id: string, take: TakePiece): Promise<ByteRange[]> {
  const file = await openFile(path, 'r').catch(unreadable);
  const ranges: ByteRange[] = [];
  try {
    const { size } = fstatSync(file);
    const trailer = await trailerOf(file, id, size);
    const length = size - trailer.length;
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(length, 1)));
    for (let at = 0; at < length; at += piece.length) {
      const part = await readAt(file, piece.subarray(0, Math.min(piece.length, length - at)), at);
      addDamaged(ranges, trailer, part, at);
      await take(part, at);
    }
    await take(trailer, length);
    return ranges;
  } finally {
    await closeFile(file);
  }
}

const DAMAGED_SUMS =
  'does not end with its checksums: its file was cut off, or became longer, or they are damaged';

/** The checksums. */
async function trailerOf(file: number, id: string, size: number): Promise<Buffer> {
  if (size < FOOTER_BYTES) throw new BadFile(DAMAGED_SUMS);
  const end = await readAt(file, Buffer.allocUnsafeSlow(FOOTER_BYTES), size - FOOTER_BYTES);
  const footer = readFooter(end, size);
  if (footer === undefined) throw new BadFile(DAMAGED_SUMS);
  const trailer = await readAt(file, Buffer.allocUnsafeSlow(trailerBytes(footer.length)), footer.length);
  if (!isWhole(trailer)) throw new BadFile(DAMAGED_SUMS);
  if (footer.id !== id) throw new BadFile(`has the file of the content ${footer.id}`);
  return trailer;
}

function addDamaged(ranges: ByteRange[], trailer: Buffer, part: Buffer, at: number): void {
  for (let from = at; from < at + part.length; from += UNIT_BYTES) {
    const until = Math.min(from + UNIT_BYTES, at + part.length);
    if (isUnitWhole(trailer, from / UNIT_BYTES, part.subarray(from - at, until - at))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], until];
    else ranges.push([from, until]);
  }
}

/** Fills all of `into`. */
async function readAt(file: number, into: Buffer, at: number): Promise<Buffer> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await readFrom(file, into, done, into.length - done, at + done).catch(unreadable);
    if (bytesRead === 0) throw new BadFile('became shorter while it was read');
    done += bytesRead;
  }
  return into;
}

function unreadable(error: unknown): never {
  throw new BadFile(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
