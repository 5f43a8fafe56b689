// One cell of the table, in a process of its own: opens the engine of the build that its argument names, and prints its
// load's answers.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Store } from '../../packages/store/index.js';
import { drive, type Load } from './load.js';

export interface Cell {
  /** The root of a built checkout. */
  readonly build: string;
  /** `wal`: the exclusive engine; `group`: the shared one; with `-none` without durability. */
  readonly path: 'wal' | 'group' | 'wal-none' | 'group-none';
  readonly load: Load;
  /** The parent of the store's directory. */
  readonly place: string;
}

type Open = (options: {
  readonly directory: string;
  readonly durability: 'full' | 'none';
  readonly exclusive: boolean;
  /** The name of `exclusive` in earlier builds. */
  readonly isOnlyWriter: boolean;
}) => Promise<Store>;

const cell: Cell = JSON.parse(process.argv[2] ?? '');
const engine: { readonly openLmdbStore: Open } = await import(
  pathToFileURL(join(cell.build, 'dist/packages/store-lmdb/index.js')).href
);
const directory = await mkdtemp(join(cell.place, 'commits-'));
try {
  const exclusive = cell.path.startsWith('wal');
  const store = await engine.openLmdbStore({
    directory,
    durability: cell.path.endsWith('none') ? 'none' : 'full',
    exclusive,
    isOnlyWriter: exclusive,
  });
  console.log(JSON.stringify(await drive(store, cell.load)));
  await store.close();
} finally {
  await rm(directory, { recursive: true });
}
