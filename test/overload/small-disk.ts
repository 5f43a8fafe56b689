// A disk of a few MiB for a test: in memory, or ext4 in a file. Needs root.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export type DiskKind = 'tmpfs' | 'ext4';

const run = (command: string, ...args: readonly string[]): void => {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

function mount(kind: DiskKind, place: string, image: string, mebibytes: number): void {
  if (kind === 'tmpfs') {
    run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', place);
    return;
  }
  writeFileSync(image, '');
  truncateSync(image, mebibytes * 1024 ** 2);
  run('mkfs.ext4', '-q', '-m', '0', image);
  run('mount', '-o', 'loop', image, place);
}

export class SmallDisk {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Takes all free space except this many bytes; returns a function that frees it. */
  fill(leave: number): () => void {
    const { bavail, bsize } = statfsSync(this.path);
    const path = join(this.path, 'filler');
    writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - leave)));
    return () => rmSync(path);
  }

  /** Nothing can be written to it any more. */
  makeReadOnly(): void {
    run('mount', '-o', 'remount,ro', this.path);
  }
}

/** Gone with the test; undefined, and the test skipped, where there can be none. */
export function newDisk(t: TestContext, kind: DiskKind, mebibytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-disk-'));
  const place = join(folder, 'mounted');
  mkdirSync(place);
  try {
    mount(kind, place, join(folder, 'image'), mebibytes);
  } catch (error) {
    rmSync(folder, { recursive: true });
    t.skip(`No ${kind} can be mounted: ${String(error)}`);
    return undefined;
  }
  t.after(() => {
    run('umount', '-l', place);
    rmSync(folder, { recursive: true });
  });
  return new SmallDisk(place);
}
