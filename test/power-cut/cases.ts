// The recordings, and the broken disks and servers in which losses must be found.
import type { IsLost } from './disk.js';
import type { ServerFault } from './planted-server.js';

export interface Case {
  readonly name: string;
  readonly workers: number;
  readonly durability: 'full' | 'none';
  readonly hasBackup: boolean;
  /** Writes more than entities (workload.ts). */
  readonly hasOthers: boolean;
  /** Also writes blobs, large and small. */
  readonly hasBlobs: boolean;
  /** The server's planted fault (planted-server.ts). */
  readonly fault?: ServerFault;
  /** Syncs that the disk reports as done and has not done. */
  readonly isSyncLost: IsLost;
}

const SOUND = {
  workers: 1,
  durability: 'full',
  hasBackup: false,
  hasOthers: true,
  hasBlobs: false,
  isSyncLost: () => false,
} as const;
const LOGGED = { ...SOUND, hasOthers: false } as const;
const BLOBS = { ...LOGGED, hasBlobs: true } as const;

/** Whether it is a directory of blobs' contents. */
const isContentDirectory = (path: string): boolean => /(?:^|\/)contents(?:\/\d+)?$/.test(path);
/** The same: a file. */
export const isContent = (path: string): boolean => /(?:^|\/)contents\/\d+\/\w+$/.test(path);

export const CASES: readonly Case[] = [
  { ...SOUND, name: 'one process' },
  { ...SOUND, name: 'four workers', workers: 4 },
  { ...SOUND, name: 'backup and restore', hasBackup: true },
  { ...LOGGED, name: 'a log' },
  { ...LOGGED, name: 'a log, backup and restore', hasBackup: true },
  { ...BLOBS, name: 'blobs' },
  { ...BLOBS, name: 'blobs, four workers, backup and restore', workers: 4, hasBackup: true },
];

export const SPOILT_CASES: readonly Case[] = [
  { ...SOUND, name: 'durability none', durability: 'none' },
  { ...SOUND, name: 'fdatasync does nothing', isSyncLost: ({ kind }) => kind === 'synced' },
  { ...LOGGED, name: 'a log, and fdatasync does nothing', isSyncLost: ({ kind }) => kind === 'synced' },
  { ...SOUND, name: 'synchronous writes do nothing', isSyncLost: ({ kind }) => kind === 'written' },
  {
    ...BLOBS,
    name: 'names of contents are not synced',
    isSyncLost: ({ kind }, path) => kind === 'synced' && isContentDirectory(path),
  },
  { ...BLOBS, name: 'contents are not synced', isSyncLost: (_, path) => isContent(path) },
  { ...BLOBS, name: 'a server that names contents before they are durable', fault: 'names first' },
  { ...BLOBS, name: 'a server that removes contents before the commit', fault: 'drops first' },
  { ...BLOBS, name: 'a server that does not sync directories of contents', fault: 'no names' },
];
