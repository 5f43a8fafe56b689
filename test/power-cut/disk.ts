// The model of a disk after a power cut, built from a recording up to the cut. Synced data stays; each write since may be lost,
// whole or torn (file-content.ts). A directory keeps its changes up to its last sync, and a prefix of those since.
import { dirname } from 'node:path';
import { between, type Draw } from '../random/arbitrary.js';
import { FileContent, type Mood, type Write } from './file-content.js';
import type { Record } from './recording.js';

/** Entries that change together: each gets another inode, or is removed. */
interface Change {
  readonly entries: readonly (readonly [name: string, inode: bigint | undefined])[];
  /** What this change does not happen without: a file that moves to another directory is in one of them. */
  readonly other?: Change | undefined;
}

class Directory {
  readonly #settled = new Map<string, bigint>();
  readonly #pending: Change[] = [];

  get pendingCount(): number {
    return this.#pending.length;
  }

  change(change: Change): void {
    this.#pending.push(change);
  }

  settle(count: number): void {
    for (const change of this.#pending.splice(0, count)) enter(change, this.#settled);
  }

  /** The changes that are lost. */
  lost(mood: Mood, draw: Draw): readonly Change[] {
    const counts = { all: 0, none: this.#pending.length, some: draw(between(0, this.#pending.length)) };
    return this.#pending.slice(counts[mood]);
  }

  entriesWithout(lost: ReadonlySet<Change | undefined>): ReadonlyMap<string, bigint> {
    const entries = new Map(this.#settled);
    for (const change of this.#pending)
      if (!lost.has(change) && !lost.has(change.other)) enter(change, entries);
    return entries;
  }
}

function enter(change: Change, entries: Map<string, bigint>): void {
  for (const [name, inode] of change.entries) {
    if (inode === undefined) entries.delete(name);
    else entries.set(name, inode);
  }
}

/**
 * Breaks the disk: such a sync, or synchronous write, completes without effect. `path` is the one by which the file was
 * created.
 */
export type IsLost = (record: Record, path: string) => boolean;

export class Disk {
  readonly #root: bigint;
  readonly #files = new Map<bigint, FileContent>();
  readonly #directories = new Map<bigint, Directory>();
  /** Directories by their paths, for records that name paths. */
  readonly #inodes = new Map<string, bigint>();
  /** The system reuses the inode of a deleted file: each file has its own number here, in order of creation. */
  readonly #numbers = new Map<bigint, bigint>();
  readonly #paths = new Map<bigint, string>();
  readonly #writes = new Map<bigint, Write>();
  readonly #lengths = new Map<bigint, number>();
  /** What the started syncs cover: writes of a file, or a number of changes of a directory. */
  readonly #syncs = new Map<bigint, ReadonlySet<Write> | number>();
  readonly #isLost: IsLost;

  constructor(rootInode: bigint, isLost: IsLost = () => false) {
    this.#root = this.#newNumber(rootInode);
    this.#addDirectory('.', this.#root);
    this.#isLost = isLost;
  }

  add(recorded: Record): void {
    const isNew = recorded.kind === 'created' || recorded.kind === 'made directory';
    const number = isNew ? this.#newNumber(recorded.inode) : this.#numbers.get(recorded.inode);
    const record = { ...recorded, inode: number ?? recorded.inode };
    const { kind, inode, a, text } = record;
    if (isNew) this.#paths.set(inode, text);
    if (kind === 'write') this.#beginWrite(record);
    else if (kind === 'written') this.#finishWrite(record);
    else if (kind === 'sync') this.#beginSync(record);
    else if (kind === 'synced') this.#finishSync(record);
    else if (kind === 'truncated') this.#file(inode).truncate(a);
    else if (kind === 'unseen') throw new Error(`The recorder could not follow: ${text}.`);
    else if (kind !== 'unlink') this.#name(record);
  }

  /** The files that a cut now leaves, by their paths. */
  cut(mood: Mood, draw: Draw): ReadonlyMap<string, Buffer> {
    const contents = new Map<bigint, Buffer>();
    const image = new Map<string, Buffer>();
    const lost = new Set([...this.#directories.values()].flatMap(directory => directory.lost(mood, draw)));
    const walk = (inode: bigint, prefix: string): void => {
      for (const [name, child] of this.#directories.get(inode)?.entriesWithout(lost) ?? []) {
        if (this.#directories.has(child)) {
          walk(child, `${prefix}${name}/`);
          continue;
        }
        const content = contents.get(child) ?? this.#file(child).cut(mood, draw);
        contents.set(child, content);
        image.set(`${prefix}${name}`, content);
      }
    };
    walk(this.#root, '');
    return image;
  }

  #newNumber(inode: bigint): bigint {
    // A number that the system never uses.
    const number = -1n - BigInt(this.#paths.size);
    this.#numbers.set(inode, number);
    this.#paths.set(number, '.');
    return number;
  }

  #isLostSync(record: Record): boolean {
    return this.#isLost(record, this.#paths.get(record.inode) ?? '');
  }

  #file(inode: bigint): FileContent {
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error(`Nobody made the file with inode ${inode}.`);
    return file;
  }

  #addDirectory(path: string, inode: bigint): void {
    this.#directories.set(inode, new Directory());
    this.#inodes.set(path, inode);
  }

  #beginWrite({ inode, token, a: offset, data }: Record): void {
    this.#writes.set(token, this.#file(inode).write(offset, data));
    this.#lengths.set(token, data.length);
  }

  #finishWrite(record: Record): void {
    const { inode, token, a: length, b: isOnDisk, kind } = record;
    const write = this.#writes.get(token);
    if (write === undefined || length !== this.#lengths.get(token))
      throw new Error(`${kind} ${length} does not fit.`);
    this.#writes.delete(token);
    write.isDone = true;
    if (isOnDisk !== 0 && !this.#isLostSync(record)) this.#file(inode).settle(new Set([write]));
  }

  #beginSync({ inode, token }: Record): void {
    this.#syncs.set(token, this.#directories.get(inode)?.pendingCount ?? this.#file(inode).covered());
  }

  #finishSync(record: Record): void {
    const covered = this.#syncs.get(record.token);
    this.#syncs.delete(record.token);
    if (this.#isLostSync(record)) return;
    if (typeof covered === 'number') this.#directories.get(record.inode)?.settle(covered);
    else if (covered !== undefined) this.#file(record.inode).settle(covered);
  }

  #name({ kind, inode, text, data }: Record): void {
    if (kind === 'created') this.#files.set(inode, new FileContent());
    if (kind === 'made directory') this.#addDirectory(text, inode);
    const [of, to] = [text, data.toString()].map(path =>
      this.#directories.get(this.#inodes.get(dirname(path)) ?? 0n),
    );
    const added = [nameOf(kind === 'renamed' || kind === 'linked' ? data.toString() : text), inode] as const;
    const removed = [nameOf(text), undefined] as const;
    if (kind === 'unlinked' || kind === 'removed directory') of?.change({ entries: [removed] });
    else if (kind === 'linked') to?.change({ entries: [added] });
    else if (kind !== 'renamed') of?.change({ entries: [added] });
    else if (of === to) of?.change({ entries: [removed, added] });
    else {
      const other: Change = { entries: [added] };
      to?.change(other);
      of?.change({ entries: [removed], other });
    }
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
