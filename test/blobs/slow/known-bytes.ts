// Contents of any length whose every byte is known without storing them: what was uploaded in blocks is compared with
// what is read in ranges.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

const PIECE_BYTES = 1_048_576;
/** Neighbouring pieces differ, and none repeats within itself. */
const BASE = Buffer.concat(
  Array.from({ length: PIECE_BYTES / 32 }, (_, index) => createHash('sha256').update(`${index}`).digest()),
);

/** The piece with its number written over its beginning. */
function pieceAt(number: number): Buffer {
  const piece = Buffer.from(BASE);
  piece.writeDoubleBE(number, 0);
  return piece;
}

/** Pieces of the bytes from `from` until `until`. */
export function* knownPieces(from: number, until: number): Generator<Buffer> {
  for (let at = from; at < until; ) {
    const number = Math.floor(at / PIECE_BYTES);
    const start = number * PIECE_BYTES;
    const end = Math.min(until, start + PIECE_BYTES);
    yield pieceAt(number).subarray(at - start, end - start);
    at = end;
  }
}

export const knownBytes = (from: number, until: number): Buffer =>
  Buffer.concat([...knownPieces(from, until)]);

export const knownStream = (bytes: number): Readable =>
  Readable.from(knownPieces(0, bytes), { objectMode: false, highWaterMark: PIECE_BYTES });

export function knownMd5(bytes: number): Buffer {
  const hash = createHash('md5');
  for (const piece of knownPieces(0, bytes)) hash.update(piece);
  return hash.digest();
}

/** Fails at the first differing byte, or if there are more or fewer. */
export async function assertKnown(
  stream: AsyncIterable<Uint8Array | string> | undefined,
  from: number,
  until: number,
): Promise<void> {
  assert.ok(stream);
  let at = from;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    const end = at + bytes.length;
    assert.ok(end <= until, `${end - until} bytes too many`);
    for (const piece of knownPieces(at, end)) {
      const got = bytes.subarray(at - end + bytes.length, at - end + bytes.length + piece.length);
      if (!got.equals(piece)) assert.fail(`other bytes at ${at}`);
      at += piece.length;
    }
  }
  assert.equal(at, until);
}
