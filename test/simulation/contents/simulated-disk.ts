// A disk in memory: files and directories as a process sees them, and the model of what a power cut leaves
// (power-cut/disk.ts), which gets each write, sync and change of a name.
import { dirname } from 'node:path';
import { Disk } from '../../power-cut/disk.js';
import type { Mood } from '../../power-cut/file-content.js';
import type { Record } from '../../power-cut/recording.js';
import type { Draw } from '../../random/arbitrary.js';

/** A file, or a directory. */
export interface Node {
  readonly inode: bigint;
  readonly isDirectory: boolean;
  bytes: Buffer;
  length: number;
}

export const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code });

const ROOT = '.';
const NOTHING = Buffer.alloc(0);

export class SimulatedDisk {
  /** Maximum of bytes; a write beyond it is cut short. */
  capacity = Number.POSITIVE_INFINITY;
  readonly #model: Disk;
  readonly #nodes = new Map<string, Node>();
  #lastInode = 1n;
  #lastToken = 0n;
  #used = 0;

  /** With the files that a power cut left. */
  constructor(image: ReadonlyMap<string, Buffer> = new Map()) {
    this.#nodes.set(ROOT, { inode: 1n, isDirectory: true, bytes: NOTHING, length: 0 });
    this.#model = new Disk(1n);
    for (const [path, bytes] of image) this.#restore(path, bytes);
  }

  get used(): number {
    return this.#used;
  }

  cut(mood: Mood, draw: Draw): ReadonlyMap<string, Buffer> {
    return this.#model.cut(mood, draw);
  }

  find(path: string): Node | undefined {
    return this.#nodes.get(path);
  }

  names(path: string): readonly string[] {
    if (!this.#nodes.get(path)?.isDirectory) throw failure('ENOENT', path);
    const children = [...this.#nodes.keys()].filter(each => each !== ROOT && dirname(each) === path);
    return children.map(each => each.slice(each.lastIndexOf('/') + 1));
  }

  make(path: string, isDirectory: boolean): Node {
    if (!this.#nodes.get(dirname(path))?.isDirectory) throw failure('ENOENT', path);
    if (this.#nodes.has(path)) throw failure('EEXIST', path);
    this.#lastInode += 1n;
    const node = { inode: this.#lastInode, isDirectory, bytes: NOTHING, length: 0 };
    this.#nodes.set(path, node);
    this.#note(isDirectory ? 'made directory' : 'created', node, { text: path });
    return node;
  }

  remove(path: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined) throw failure('ENOENT', path);
    if (node.isDirectory && this.names(path).length > 0) throw failure('ENOTEMPTY', path);
    this.#nodes.delete(path);
    this.#used -= node.length;
    this.#note(node.isDirectory ? 'removed directory' : 'unlinked', node, { text: path });
  }

  rename(from: string, to: string): void {
    const node = this.#nodes.get(from);
    if (node === undefined) throw failure('ENOENT', from);
    this.#nodes.delete(from);
    this.#nodes.set(to, node);
    this.#note('renamed', node, { text: from, data: Buffer.from(to) });
  }

  /** Returns how many bytes were written, and what to call when the call has completed. */
  write(node: Node, bytes: Buffer, at: number, isSynchronous: boolean): [number, () => void] {
    const free = Math.max(0, this.capacity - this.#used) + Math.max(0, node.length - at);
    const count = Math.min(bytes.length, free);
    if (count === 0 && bytes.length > 0) throw failure('ENOSPC', 'the disk');
    const data = Buffer.from(bytes.subarray(0, count));
    const end = at + count;
    if (end > node.bytes.length) {
      const grown = Buffer.alloc(Math.max(end, 2 * node.bytes.length));
      node.bytes.copy(grown, 0, 0, node.length);
      node.bytes = grown;
    }
    data.copy(node.bytes, at);
    this.#used += Math.max(0, end - node.length);
    node.length = Math.max(node.length, end);
    this.#lastToken += 1n;
    const token = this.#lastToken;
    this.#note('write', node, { a: at, token, data });
    return [count, () => this.#note('written', node, { a: count, b: isSynchronous ? 1 : 0, token })];
  }

  /** Returns what to call when the call has completed. */
  sync(node: Node): () => void {
    this.#lastToken += 1n;
    const token = this.#lastToken;
    this.#note('sync', node, { token });
    return () => this.#note('synced', node, { token });
  }

  #note(kind: Record['kind'], { inode }: Node, fields: Partial<Record>): void {
    this.#model.add({ kind, inode, a: 0, b: 0, token: 0n, text: '', data: NOTHING, end: 0, ...fields });
  }

  #restore(path: string, bytes: Buffer): void {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const directory = parts.slice(0, depth).join('/');
      if (!this.#nodes.has(directory)) this.#synced(directory, this.make(directory, true));
    }
    const node = this.make(path, false);
    this.write(node, bytes, 0, true)[1]();
    this.#synced(path, node);
  }

  #synced(path: string, node: Node): void {
    const parent = this.#nodes.get(dirname(path));
    for (const each of [node, parent]) if (each !== undefined) this.sync(each)();
  }
}
