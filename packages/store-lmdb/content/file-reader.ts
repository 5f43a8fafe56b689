// Reads a range of a content's file in pieces: reads the next one while the caller has the one before. An open file
// stays whole after its name is gone.
import { fstatSync } from 'node:fs';
import { noteStreamed } from '#base';
import { CONTENT_PIECE_MAX, StoreError } from '#store';
import { closeFile, contentError, isAbsent, openFile, readFrom } from '../lmdb/system-call.js';
import { trailerBytes } from './content-sums.js';

interface ReadRange {
  readonly path: string;
  readonly from: number;
  readonly until: number;
}

/** Calls `onPiece` with each piece's length before it yields the piece; `onPiece` may throw. */
export async function* readFile(
  { path, from, until }: ReadRange,
  onPiece: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const file = await open(path);
  let reading: Promise<Buffer> | undefined;
  try {
    // The file is open: the system has its length in memory.
    if (fstatSync(file).size < until + trailerBytes(until)) throw missing(path);
    const readNext = (at: number): Promise<Buffer> => {
      const piece = readPiece(file, path, at, Math.min(CONTENT_PIECE_MAX, until - at));
      // Its failure surfaces when it is awaited.
      piece.catch(() => undefined);
      return piece;
    };
    reading = readNext(from);
    for (let at = from; at < until; ) {
      const piece: Buffer = await reading;
      at += piece.length;
      if (at < until) reading = readNext(at);
      onPiece(piece.length);
      yield piece;
    }
  } finally {
    await reading?.catch(() => undefined);
    await closeFile(file);
  }
}

async function open(path: string): Promise<number> {
  try {
    return await openFile(path, 'r');
  } catch (error) {
    throw isAbsent(error) ? missing(path) : contentError(error, path);
  }
}

async function readPiece(file: number, path: string, from: number, length: number): Promise<Buffer> {
  noteStreamed(length);
  const piece = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readFrom(file, piece, done, length - done, from + done).catch(
      (error: unknown) => {
        throw contentError(error, path);
      },
    );
    if (bytesRead === 0) throw missing(path);
    done += bytesRead;
  }
  return piece;
}

export const missing = (path: string): StoreError =>
  new StoreError('corrupt', `${path} is missing, or shorter than it was.`);
