// The calls of node:fs on files of simulated disks, in place of the real ones: below SIMULATED_ROOT a call takes some
// turns of the event loop, and takes effect in between, unless its process has ended by then. All other calls are
// passed on. Install before modules that use node:fs are loaded.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { below, chance, type Draw } from '../../random/arbitrary.js';
import { failure, type Node, type SimulatedDisk } from './simulated-disk.js';

const SIMULATED_ROOT = '/simulated';
const FIRST_FILE = 1_000_000;
const FIRST_PROCESS = 1_000_000;
const NUMBER_DIGITS = 7;
const TURNS = below(4);
const { O_CREAT, O_EXCL, O_DSYNC } = fs.constants;

/** Planted faults of a disk that does less than it reports. */
export interface Lies {
  /** For directories, by their paths. */
  readonly losesNames?: (path: string) => boolean;
  /** Bytes that `fdatasync` should make durable. */
  readonly losesBytes?: boolean;
  /** Synchronous writes. */
  readonly losesWrites?: boolean;
  /** Flips a bit in the middle of each write of at least this length. */
  readonly flipsFrom?: number;
}

interface MountOptions extends Lies {
  readonly draw: Draw;
  /** So many of a hundred syncs fail. */
  readonly failingSyncs: number;
}

/** A disk as one process has it. */
export class Mount {
  readonly path: string;
  isDead = false;
  readonly disk: SimulatedDisk;
  readonly options: MountOptions;
  static readonly #all = new Map<string, Mount>();
  static #last: Mount | undefined;
  static #count = FIRST_PROCESS;

  constructor(disk: SimulatedDisk, options: MountOptions) {
    this.disk = disk;
    this.options = options;
    this.path = `${SIMULATED_ROOT}/${Mount.#count}`;
    Mount.#count += 1;
    Mount.#all.set(this.path, this);
    Mount.#last = this;
  }

  /** Call once a run is over; its calls in progress go nowhere. */
  static forgetAll(): void {
    for (const mount of Mount.#all.values()) mount.isDead = true;
    Mount.#all.clear();
    files.clear();
  }

  static at(path: string): Mount {
    const mount = Mount.#all.get(path.slice(0, SIMULATED_ROOT.length + 1 + NUMBER_DIGITS));
    if (mount === undefined) throw failure('ENOENT', path);
    return mount;
  }

  /** With the name of the file on the disk. */
  static of(path: string): { readonly mount: Mount; readonly name: string } {
    const mount = Mount.at(path);
    if (mount.isDead) throw failure('EIO', path);
    const name = path.slice(mount.path.length + 1);
    return { mount, name: name === '' ? '.' : name };
  }

  /** Like /proc, for the current process and others. */
  static statOf(pid: string): string | undefined {
    const own = Mount.#last?.path.slice(SIMULATED_ROOT.length + 1);
    if (own === undefined) return undefined;
    if (pid !== 'self' && pid !== own) throw failure('ENOENT', `/proc/${pid}/stat`);
    return `${own} (node) S ${'0 '.repeat(30)}`;
  }
}

interface OpenFile {
  readonly mount: Mount;
  readonly node: Node;
  readonly name: string;
  readonly isSynchronous: boolean;
}

const files = new Map<number, OpenFile>();
let lastFile = FIRST_FILE;

function fileOf(number: unknown): OpenFile {
  const file = files.get(Number(number));
  if (file === undefined || file.mount.isDead) throw failure('EBADF', String(number));
  return file;
}

function open(path: unknown, flags: unknown): number {
  const { mount, name } = Mount.of(String(path));
  const bits = typeof flags === 'number' ? flags : flags === 'wx' ? O_CREAT | O_EXCL : 0;
  const found = mount.disk.find(name);
  if (found !== undefined && (bits & O_EXCL) !== 0) throw failure('EEXIST', name);
  if (found === undefined && (bits & O_CREAT) === 0) throw failure('ENOENT', name);
  lastFile += 1;
  const node = found ?? mount.disk.make(name, false);
  files.set(lastFile, { mount, node, name, isSynchronous: (bits & O_DSYNC) !== 0 });
  return lastFile;
}

function write(number: unknown, bytes: Buffer, at: number): [number, () => void] {
  const { mount, node, isSynchronous } = fileOf(number);
  const { losesWrites, flipsFrom = Number.POSITIVE_INFINITY } = mount.options;
  const given = bytes.length < flipsFrom ? bytes : flipped(bytes);
  return mount.disk.write(node, given, at, isSynchronous && losesWrites !== true);
}

function flipped(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1;
  const other = Buffer.from(bytes);
  other[middle] = (other[middle] ?? 0) ^ 1;
  return other;
}

/** Fails, does nothing, or returns what to call when it has completed. */
function sync(number: unknown): () => void {
  const { mount, node, name } = fileOf(number);
  const { options, disk } = mount;
  if (options.draw(chance(options.failingSyncs))) throw failure('EIO', name);
  const isLost = node.isDirectory ? options.losesNames?.(name) === true : options.losesBytes === true;
  return isLost ? () => undefined : disk.sync(node);
}

function read(number: unknown, into: Buffer, offset: number, length: number, at: number): number {
  const { node } = fileOf(number);
  return node.bytes.copy(into, offset, at, Math.min(node.length, at + length));
}

/** A name created after the reading began may be missing, and a removed one may be there. */
function openDirectory(path: unknown) {
  const { mount, name } = Mount.of(String(path));
  const names = mount.disk.names(name);
  return {
    async *[Symbol.asyncIterator]() {
      for (const each of names) {
        await pass(mount);
        yield { name: each };
      }
    },
  };
}

function remove(path: unknown): void {
  const { mount, name } = Mount.of(String(path));
  mount.disk.remove(name);
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Never resolves if the process has ended. */
export async function pass(mount: Mount): Promise<void> {
  for (let left = mount.options.draw(TURNS); left > 0; left -= 1) await nextTurn();
  if (mount.isDead) await new Promise(() => undefined);
}

type Call = (...args: unknown[]) => unknown;
/** The results of a call, and what happens when it has completed. */
type Effect = (...args: unknown[]) => readonly [results: readonly unknown[], back?: () => void];

const isSimulated = (first: unknown): boolean =>
  typeof first === 'number'
    ? files.has(first)
    : typeof first === 'string' && first.startsWith(SIMULATED_ROOT);

const mountOf = (first: unknown): Mount =>
  typeof first === 'number' ? (files.get(first)?.mount ?? fileOf(first).mount) : Mount.at(String(first));

async function carryOut(effect: Effect, args: readonly unknown[], done: Call): Promise<void> {
  const mount = mountOf(args[0]);
  await pass(mount);
  try {
    const [results, back] = effect(...args);
    await pass(mount);
    back?.();
    done(null, ...results);
  } catch (error) {
    done(error);
  }
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  open: (path, flags) => [[open(path, flags)]],
  close: file => [[files.delete(Number(file))]],
  read: (file, into, offset, length, at) => {
    const bytes = into as Buffer;
    return [[read(file, bytes, Number(offset), Number(length), Number(at)), bytes]];
  },
  write: (file, from, offset, length, at) => {
    const bytes = (from as Buffer).subarray(Number(offset), Number(offset) + Number(length));
    const [count, back] = write(file, bytes, Number(at));
    return [[count, bytes], back];
  },
  fsync: file => [[], sync(file)],
  fdatasync: file => [[], sync(file)],
  unlink: path => [[remove(path)]],
  rmdir: path => [[remove(path)]],
  opendir: path => [[openDirectory(path)]],
};

function makeDirectories(path: unknown): void {
  const { mount, name } = Mount.of(String(path));
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const each = parts.slice(0, depth).join('/');
    if (mount.disk.find(each) === undefined) mount.disk.make(each, true);
  }
}

function exists(path: unknown): boolean {
  const { mount, name } = Mount.of(String(path));
  return mount.disk.find(name) !== undefined;
}

function readAll(path: unknown): Buffer {
  const { node } = fileOf(open(path, 'r'));
  return Buffer.from(node.bytes.subarray(0, node.length));
}

function writeNow(file: unknown, text: unknown, at = 0): number {
  const [count, back] = write(file, Buffer.from(String(text)), at);
  back();
  return count;
}

const SYNCHRONOUS: Readonly<Record<string, Call>> = {
  existsSync: exists,
  mkdirSync: makeDirectories,
  readFileSync: path => readAll(path).toString('latin1'),
  writeFileSync: (path, text) => void writeNow(open(path, 'wx'), text),
  openSync: open,
  closeSync: file => files.delete(Number(file)),
  fstatSync: file => ({ size: fileOf(file).node.length }),
  writeSync: (file, text, at) => writeNow(file, text, Number(at)),
  fsyncSync: file => sync(file)(),
  readdirSync: path => {
    const { mount, name } = Mount.of(String(path));
    return mount.disk.names(name);
  },
  renameSync: (from, to) => {
    const { mount, name } = Mount.of(String(from));
    mount.disk.rename(name, Mount.of(String(to)).name);
  },
  rmSync: path => {
    if (exists(path)) remove(path);
  },
  rmdirSync: remove,
};

const PROCESS = /^\/proc\/(\w+)\/stat$/;

/** For all modules that are loaded from now on. */
export function installCalls(): void {
  const calls: Record<string, Call> = {};
  const put = (name: string, simulated: Call): void => {
    const real: Call = Reflect.get(fs, name);
    const call: Call = (...args) => (isSimulated(args[0]) ? simulated(...args) : real(...args));
    // promisify() finds there what the call returns.
    calls[name] = Object.defineProperties(call, Object.getOwnPropertyDescriptors(real));
  };
  for (const [name, effect] of Object.entries(EFFECTS))
    put(name, (...args) => void carryOut(effect, args.slice(0, -1), args.at(-1) as Call));
  for (const [name, call] of Object.entries(SYNCHRONOUS)) put(name, call);
  const readFile = calls.readFileSync;
  calls.readFileSync = (...args) => {
    const [, pid] = PROCESS.exec(String(args[0])) ?? [];
    return (pid === undefined ? undefined : Mount.statOf(pid)) ?? readFile?.(...args);
  };
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}
