// The manifest of a dump: what was dumped, from where and when, and every file with its rows, bytes and SHA-256.
// SHA256SUMS is written last of all, over every other file: without it a dump is unfinished. Both are written in one
// form only, so that any changed byte shows.
import type { ContainerRecord } from '../blobs/blob-record.js';
import type { Policy } from '../source/policies.js';
import type { SpaceRecord } from '../source/space.js';

export interface DumpedFile {
  /** Relative to the dump's directory, with slashes. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface DumpedTable {
  readonly name: string;
  readonly rows: number;
  readonly partitions: number;
  readonly checksum: string;
  /** Null if the source did not return them: a SAS cannot read them. */
  readonly policies: readonly Policy[] | null;
  /** In the order of keys. */
  readonly files: readonly DumpedFile[];
}

export interface DumpedContainer extends ContainerRecord {
  readonly blobs: number;
  /** Total size of their contents. */
  readonly bytes: number;
  /** Page blobs, snapshots and others that are not taken. */
  readonly skipped: number;
  /** The index: a line per blob. */
  readonly files: readonly DumpedFile[];
}

export interface DumpedQueue extends SpaceRecord {
  /** Null if they were not taken. */
  readonly messages: number | null;
  readonly files: readonly DumpedFile[];
}

export interface Manifest {
  readonly format: 'jsonl' | 'csv' | 'parquet';
  readonly version: 1;
  readonly source: string;
  readonly started: string;
  readonly ended: string;
  readonly filter: string | null;
  readonly select: readonly string[] | null;
  readonly since: string | null;
  readonly snapshot: false;
  readonly note: string;
  readonly tables: readonly DumpedTable[];
  /** Only if they were asked for. */
  readonly queues?: readonly DumpedQueue[];
  readonly containers?: readonly DumpedContainer[];
}

export const MANIFEST_PATH = 'manifest.json';
export const SUMS_PATH = 'SHA256SUMS';
/** Work in progress, including the journal; gone when the dump is finished. */
export const WORK_PATH = '.partial';
export const VERSION = 1;

export const NOTE =
  'No snapshot: a row that stood still between started and ended is here exactly once; one that changed is here once, in a state that it had, or not if it was deleted.';
export const SINCE_NOTE = ' Rows deleted since then cannot be known, and are not here.';

export const partitionsPath = (table: string): string => `${table}/partitions.jsonl`;

export const filePath = (table: string, place: number, extension: string): string =>
  `${table}/${String(place).padStart(5, '0')}.${extension}`;

export const formatManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

export interface Sum {
  readonly path: string;
  readonly sha256: string;
}

/** For `sha256sum -c`: sorted, two spaces between. */
export const formatSums = (sums: readonly Sum[]): string =>
  [...sums]
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    .join('');
