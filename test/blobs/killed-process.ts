// A process that runs a sequence of operations on blobs and ends itself by SIGKILL at one moment of it: after a system
// call that changes files or their names, in the middle of a write, within and after a commit, after an answer. Between
// two moments no file changes. `killed-process.js DIRECTORY SETTING MOMENT [FAULT]`; moment 0 is none. It prints a line
// for each answer, and at its end the names of all moments.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Engine, StoreWithContent } from '#store';
import { type ContentPlant, dropsFirst, namesFirst } from '../planted/content-plants.js';
import { withMembers } from '../planted/members.js';
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

const PLANTS: Readonly<Record<string, ContentPlant>> = {
  'drops first': dropsFirst,
  'names first': namesFirst,
};

/** The store with moments in its commits, and with a planted fault. */
function watchCommits(engine: Engine): StoreWithContent {
  const watched = withMembers<StoreWithContent>(engine, {
    commit: async (space, partition, reads, decide) => {
      const result = await engine.commit(space, partition, reads, (rows, tick) => {
        const decision = decide(rows, tick);
        if (!setting.startsWith('log')) pass('within commit');
        return decision;
      });
      if (!setting.startsWith('log')) pass('commit');
      return result;
    },
  });
  return PLANTS[fault ?? '']?.(watched) ?? watched;
}

async function main(): Promise<void> {
  watchCalls();
  const { openLmdbStore } = await import('../../packages/store-lmdb/lmdb-store.js');
  const { contextOn, makeContainer, perform } = await import('./blob-operation.js');
  const { isLogged, stepsOf } = await import('./every-operation.js');
  const withLog = isLogged(setting);
  const options = { directory, durability: withLog ? 'full' : 'none', exclusive: withLog } as const;
  const engine = await openLmdbStore(options, { logAfter: 0 });
  const context = contextOn(watchCommits(engine));
  await makeContainer(context);
  isCounting = true;
  for (const step of stepsOf(setting)) {
    if (fault === 'answers first') say('answered');
    await perform(step, context);
    if (fault !== 'answers first') say('answered');
    pass('answer');
    await context.background.settled();
  }
  isCounting = false;
  await engine.close();
  for (const name of names) say(`moment ${name}`);
}

await main();
