// Restarts after a power cut: puts the remaining files into a directory, reads them as a check and as a server do, and
// compares them with the writes answered before the cut.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { openLmdbStore } from '#store-lmdb';
import { faultsOfContents, faultsOfFile } from '../crash/file-faults.js';
import type { Moment } from '../histories/history.js';
import { chance, type Draw, from } from '../random/arbitrary.js';
import type { Workload } from './workload.js';

// Size of a meta page (packages/store-lmdb/lmdb/file-head.ts).
const PAGE_BYTES = 8192;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const LOCKS_BYTES = 266_448;
/** Repeated: no two pages are alike. */
const NOISE = fc.uint8Array({ minLength: 509, maxLength: 509 });

interface Cut {
  readonly image: ReadonlyMap<string, Buffer>;
  /** The length of the recording at the cut. */
  readonly position: number;
}

/** What is wrong with the files that a cut left. They are then in `directory`. */
export async function faultsOfCut(
  { image, position }: Cut,
  workload: Workload,
  directory: string,
  draw: Draw,
): Promise<readonly string[]> {
  rmSync(directory, { recursive: true, force: true });
  for (const [path, content] of image) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  const faults = await faultsOfStore(join(directory, 'data'), image.get('data/data.mdb'), workload, draw, {
    answeredBy: position + 1,
    askedBy: position,
  });
  for (const { name, startedAt, doneAt } of workload.copies) {
    const file = image.get(`${name}/data.mdb`);
    const moment = { answeredBy: startedAt, askedBy: Math.min(position, doneAt) };
    if (file !== undefined)
      faults.push(...(await faultsOfStore(join(directory, name), file, workload, draw, moment)));
    else if (position + 1 > doneAt) faults.push(`${name} was finished and is gone.`);
  }
  return faults;
}

async function faultsOfStore(
  directory: string,
  file: Buffer | undefined,
  { works, hasBlobs }: Workload,
  draw: Draw,
  moment: Moment,
): Promise<string[]> {
  try {
    // A file without a head belongs to a store that was never begun: no write was acknowledged.
    if (file === undefined || !isBegun(file)) {
      const empty = `${directory}-empty`;
      mkdirSync(empty, { recursive: true });
      return [...(await works.faultsOfCopy(empty, moment))];
    }
    const faults = await faultsOfFile(directory);
    if (faults.length > 0) return faults.map(fault => `${directory}: ${fault}`);
    leaveLocks(directory, draw);
    const lost = [...(await works.faultsOfCopy(directory, moment))];
    if (lost.length === 0 && hasBlobs) lost.push(...(await faultsOfContents(directory)));
    return lost.length > 0 || draw(chance(80)) ? lost : await faultsOfUse(directory);
  } catch (error) {
    return [`${directory}: ${error instanceof Error ? error.stack : error}`];
  }
}

/** Until the first sync both meta pages may be torn (docs/durability.md, first start). */
const isBegun = (file: Buffer): boolean =>
  [0, PAGE_BYTES].every(at => file.length >= at + PAGE_BYTES && file.readUInt32LE(at + MAGIC_AT) === MAGIC);

/** LMDB's lock file is never synced: it may contain anything, or nothing. */
function leaveLocks(directory: string, draw: Draw): void {
  const left = draw(from(['none', 'zeros', 'noise']));
  if (left === 'none') return;
  const bytes = Buffer.alloc(LOCKS_BYTES, left === 'noise' ? draw(NOISE) : 0);
  writeFileSync(join(directory, 'data.mdb-lock'), bytes);
}

/** It can be written to, and is whole afterwards. */
async function faultsOfUse(directory: string): Promise<string[]> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const address = { account: 'after', service: 'properties', name: 'table' };
  const space = await store.createSpace(address, Buffer.from('{"version":1,"value":{}}'));
  if (space === undefined) return ['A space is there that nobody made.'];
  for (let count = 0; count < 3; count += 1) {
    const puts = Array.from({ length: 20 }, (_, index) => ({ key: `${index}`, value: Buffer.alloc(4000) }));
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  }
  await store.dropSpace(space);
  await store.close();
  return [...(await faultsOfFile(directory))];
}
