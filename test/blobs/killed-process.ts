// A process that runs a sequence of operations on blobs and ends itself by SIGKILL at one moment of it: after a system
// call that changes files or their names, in the middle of a write, within and after a commit, after an answer. Between
// two moments no file changes. `killed-process.js DIRECTORY SETTING MOMENT [FAULT]`; moment 0 is none. It prints a line
// for each answer, and at its end the names of all moments.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { BlobContext } from '#blobs';
import type { ContentWriter, Engine, ReadRows, Space, StoreWithContent } from '#store';
import type { Setting } from './every-operation.js';

/** killed.test.ts asserts that each is found. */
export type PlantedFault = 'drops first' | 'names first' | 'answers first';

const [directory = '', named, moment = '0', fault] = process.argv.slice(2);
const setting = (named ?? 'tree') as Setting;
const { writeSync } = fs;
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

/** For contents: bytes of one write call, and of one sync (packages/store-lmdb/content/file-writer.ts). */
const WRITE_BYTES = 256 * 1024;
const SYNC_AT = 8 * 1024 * 1024;

const names: string[] = [];
let isCounting = false;
const last = Number(moment);

/** The process may end here; `before` is what may have been done by then. */
function pass(name: string, before: () => void = () => undefined): void {
  if (!isCounting) return;
  names.push(name);
  if (names.length < last || last === 0) return;
  before();
  process.kill(process.pid, 'SIGKILL');
}

type Call = (...args: unknown[]) => unknown;
/** Calls that change files, and so the result of a kill: a sync is not among them. */
const CALLS = [
  ...['open', 'write', 'writev', 'unlink', 'rmdir', 'rm', 'ftruncate'],
  ...['writeFileSync', 'writeSync', 'openSync', 'renameSync', 'mkdirSync', 'rmSync', 'ftruncateSync'],
];

/** Adds moments to the calls, for all modules that are loaded from now on. */
function watchCalls(): void {
  const watched: Record<string, Call> = {};
  for (const name of CALLS) {
    const real: Call = Reflect.get(fs, name);
    const call: Call = (...args) => {
      const isPassedBy = name === 'write' && isAmongMany(args);
      if (!isPassedBy && (name === 'write' || name === 'writev'))
        pass(`within ${name}`, () => writeHalf(args));
      const isChange = !name.startsWith('open') || isMaking(args[1]);
      const done = args.at(-1);
      if (typeof done !== 'function') {
        const result = real(...args);
        if (isChange) pass(name);
        return result;
      }
      return real(...args.slice(0, -1), (...results: unknown[]) => {
        if (isChange && !isPassedBy) pass(name);
        done(...results);
      });
    };
    // promisify() finds there what the call returns.
    watched[name] = Object.defineProperties(call, Object.getOwnPropertyDescriptors(real));
  }
  Object.assign(fs, watched);
  syncBuiltinESMExports();
}

/** In a large content the writes are alike, except for the first ones and those next to a sync in progress. */
function isAmongMany([, , , length, position]: readonly unknown[]): boolean {
  const at = Number(position);
  const isNearSync = Math.abs(at - SYNC_AT) < 2 * WRITE_BYTES;
  return length === WRITE_BYTES && at >= 2 * WRITE_BYTES && !isNearSync;
}

const isMaking = (flags: unknown): boolean =>
  typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : flags !== 'r';

/** For `write(file, bytes, from, length, position)`, or `writev(file, pieces, position)`. */
function writeHalf([file, bytes, ...rest]: readonly unknown[]): void {
  if (typeof file !== 'number') return;
  if (Buffer.isBuffer(bytes)) {
    const [from, length, position] = rest;
    writeSync(file, bytes, Number(from), Math.floor(Number(length) / 2), Number(position));
  } else if (Array.isArray(bytes)) {
    const whole = Buffer.concat(bytes);
    writeSync(file, whole, 0, Math.floor(whole.length / 2), Number(rest[0]));
  }
}

/** The store with moments in its commits. */
function watchCommits(engine: Engine): StoreWithContent {
  const commit: Engine['commit'] = async (space, partition, reads, decide) => {
    if (fault === 'drops first') await dropNamed(engine, space, partition);
    const result = await engine.commit(space, partition, reads, (rows: ReadRows, tick) => {
      const decision = decide(rows, tick);
      if (!setting.startsWith('log')) pass('within commit');
      return decision;
    });
    if (!setting.startsWith('log')) pass('commit');
    return result;
  };
  const content = fault === 'names first' ? finishingLate(engine.content) : engine.content;
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'commit') return commit;
      if (name === 'content') return content;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Planted: the blob's content is dropped before the commit that replaces it. */
async function dropNamed(engine: Engine, space: Space, blob: string): Promise<void> {
  const { contentsNamedBy } = await import('#blobs');
  const [row] = await engine.read(space, blob, ['B']);
  if (row) for (const { id } of contentsNamedBy(space, row)) await engine.content.drop(space, id);
}

const late: Promise<void>[] = [];

/** Planted: contents are finished after rows name them. */
function finishingLate(content: Engine['content']): Engine['content'] {
  const postponed = (writer: ContentWriter): ContentWriter => ({
    id: writer.id,
    write: piece => writer.write(Buffer.from(piece)),
    finish: async () => Buffer.alloc(8),
    release: () => {
      late.push(writer.finish().then(() => writer.release()));
    },
    discard: () => writer.discard(),
  });
  return new Proxy(content, {
    get(target, name) {
      if (name === 'create') return async (space: Space) => postponed(await target.create(space));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function main(): Promise<void> {
  watchCalls();
  const { BackgroundWork } = await import('#blobs');
  const { systemClock } = await import('#base');
  const { openLmdbStore } = await import('../../packages/store-lmdb/lmdb-store.js');
  const { makeContainer, perform } = await import('./blob-operation.js');
  const { isLogged, stepsOf } = await import('./every-operation.js');
  const withLog = isLogged(setting);
  const options = { directory, durability: withLog ? 'full' : 'none', exclusive: withLog } as const;
  const engine = await openLmdbStore(options, { logAfter: 0 });
  const store = watchCommits(engine);
  const background = new BackgroundWork();
  const [account, clock, ids] = ['account1', systemClock, randomUUID];
  const context: BlobContext = { store, content: store.content, account, ids, clock, background };
  await makeContainer(context);
  isCounting = true;
  for (const step of stepsOf(setting)) {
    if (fault === 'answers first') say('answered');
    await perform(step, context);
    if (fault !== 'answers first') say('answered');
    pass('answer');
    await background.settled();
    await Promise.all(late.splice(0));
  }
  isCounting = false;
  await engine.close();
  for (const name of names) say(`moment ${name}`);
}

await main();
