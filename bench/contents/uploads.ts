// Durable uploads: the same bytes in the same chunks, into files by node:fs, into contents, and into rows.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, Space } from '../../packages/store/index.js';
import { openLmdbStore } from '../../packages/store-lmdb/index.js';

export const KIBIBYTE = 1024;
export const MEBIBYTE = KIBIBYTE * KIBIBYTE;
/** What a socket gives at a time. */
const CHUNK_BYTES = 64 * KIBIBYTE;
/** Row values, and the keys of a commit's row. */
const ROW_BYTES = 64 * KIBIBYTE;

/** One way to do the same work. */
export interface Rival {
  readonly by: string;
  /** Not measured. */
  readonly prepare?: () => Promise<void>;
  readonly run: () => Promise<void>;
  readonly close?: () => Promise<void>;
}

export interface Work {
  readonly directory: string;
  readonly size: number;
  readonly count: number;
  readonly parallel: number;
}

export async function inParallel(count: number, parallel: number, task: (index: number) => Promise<void>) {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function eachChunk(size: number, take: (chunk: Buffer) => Promise<unknown>): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size), 'chunk');
  for (let at = 0; at < size; at += chunk.length)
    await take(chunk.subarray(0, Math.min(chunk.length, size - at)));
}

export async function newStore(directory: string): Promise<{ store: Engine; space: Space }> {
  const store = await openLmdbStore({ directory, exclusive: true });
  const space = await store.createSpace({ account: 'a', service: 'b', name: 'n' }, Buffer.alloc(0));
  if (space === undefined) throw new Error('The space exists.');
  return { store, space };
}

function byFiles(work: Work): Rival {
  const directory = join(work.directory, 'files');
  const upload = async (index: number): Promise<void> => {
    const file = await open(join(directory, String(index)), 'wx');
    await eachChunk(work.size, chunk => file.write(chunk));
    await file.datasync();
    await file.close();
    const folder = await open(directory, 'r');
    await folder.sync();
    await folder.close();
  };
  return {
    by: 'node:fs',
    prepare: async () => {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
    },
    run: () => inParallel(work.count, work.parallel, upload),
  };
}

export async function uploads(work: Work & { readonly withRows: boolean }): Promise<Rival[]> {
  const { store, space } = await newStore(mkdtempSync(join(work.directory, 'store-')));
  let ids: string[] = [];
  const contents: Rival = {
    by: 'contents',
    prepare: async () => {
      for (const id of ids) await store.content.drop(space, id);
      ids = [];
    },
    run: () =>
      inParallel(work.count, work.parallel, async () => {
        const writer = await store.content.create(space);
        await eachChunk(work.size, chunk => writer.write(chunk));
        await writer.finish();
        writer.release();
        ids.push(writer.id);
      }),
    close: () => store.close(),
  };
  if (!work.withRows) return [byFiles(work), contents];
  const other = await newStore(mkdtempSync(join(work.directory, 'store-')));
  return [byFiles(work), contents, byRows(work, other)];
}

/** A row for each 64 KiB. */
function byRows(work: Work, { store, space }: { store: Engine; space: Space }): Rival {
  return {
    by: 'rows',
    run: () =>
      inParallel(work.count, work.parallel, async index => {
        let part = 0;
        const value = Buffer.alloc(Math.min(ROW_BYTES, work.size), 'row');
        for (let at = 0; at < work.size; at += value.length) {
          const puts = [{ key: String(part++), value }];
          await store.commit(space, String(index), { keys: [] }, () => ({ result: true, puts }));
        }
      }),
    close: () => store.close(),
  };
}
