// The recordings, and the broken disks and servers in which losses must be found.
import type { Record } from './recording.js';

export interface Case {
  readonly name: string;
  readonly workers: number;
  readonly durability: 'full' | 'none';
  readonly hasBackup: boolean;
  /** Others than entities are written too (workload.ts). */
  readonly hasOthers: boolean;
  /** Syncs that the disk says it has done and has not. */
  readonly isSyncLost: (record: Record) => boolean;
}

const SOUND = {
  workers: 1,
  durability: 'full',
  hasBackup: false,
  hasOthers: true,
  isSyncLost: () => false,
} as const;
const LOGGED = { ...SOUND, hasOthers: false } as const;

export const CASES: readonly Case[] = [
  { ...SOUND, name: 'one process' },
  { ...SOUND, name: 'four workers', workers: 4 },
  { ...SOUND, name: 'backup and restore', hasBackup: true },
  { ...LOGGED, name: 'a log' },
  { ...LOGGED, name: 'a log, backup and restore', hasBackup: true },
];

export const SPOILT_CASES: readonly Case[] = [
  { ...SOUND, name: 'durability none', durability: 'none' },
  { ...SOUND, name: 'fdatasync does nothing', isSyncLost: ({ kind }) => kind === 'synced' },
  { ...LOGGED, name: 'a log, and fdatasync does nothing', isSyncLost: ({ kind }) => kind === 'synced' },
  { ...SOUND, name: 'synchronous writes do nothing', isSyncLost: ({ kind }) => kind === 'written' },
];
