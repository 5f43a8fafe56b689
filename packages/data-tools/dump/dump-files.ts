// The files of a finished dump, wherever they are: in a directory (here), or in a container of blobs
// (container-files.ts). Paths are relative to the dump, with slashes.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DumpedFile } from './manifest.js';

export interface DumpFiles {
  /** The place as messages name it; contains no secret. */
  readonly name: string;
  has(path: string): Promise<boolean>;
  /** The bytes of an existing file. */
  pieces(path: string): AsyncIterable<Buffer>;
  /** All files. */
  paths(): Promise<readonly string[]>;
}

export class FolderFiles implements DumpFiles {
  readonly name: string;

  constructor(directory: string) {
    this.name = directory;
  }

  has(path: string): Promise<boolean> {
    return Promise.resolve(existsSync(join(this.name, path)));
  }

  pieces(path: string): AsyncIterable<Buffer> {
    return createReadStream(join(this.name, path));
  }

  paths(): Promise<readonly string[]> {
    const length = this.name.replace(/\/+$/, '').length + 1;
    const entries = readdirSync(this.name, { recursive: true, withFileTypes: true });
    return Promise.resolve(
      entries
        .filter(entry => !entry.isDirectory())
        .map(entry => join(entry.parentPath, entry.name).slice(length)),
    );
  }
}

/** A small file as text. */
export async function textOf(
  files: DumpFiles,
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of files.pieces(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString(encoding);
}

type FileSum = Pick<DumpedFile, 'bytes' | 'sha256'>;

export async function sumOf(files: DumpFiles, path: string, signal?: AbortSignal): Promise<FileSum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of files.pieces(path)) {
    signal?.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes pieces into a new file. */
export async function writePieces(path: string, pieces: AsyncIterable<Buffer | string>): Promise<FileSum> {
  const file = await open(path, 'w');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      const { length } = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
      bytes += length;
      await file.appendFile(piece);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}
