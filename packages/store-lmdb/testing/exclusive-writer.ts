// A process that opens a directory as exclusive, with a log from its first commit on, and opens the store again and
// again. Its tasks count rows up, each commit from what it reads; it writes a line for each answer: the row and its new
// count, or `unknown` where the store could not find out.
//
//   node exclusive-writer.js DIRECTORY OPENINGS MILLISECONDS       of each opening, about
import { writeSync } from 'node:fs';
import { type Space, type Store, StoreError } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { ADDRESS } from './fixture.js';

const [directory = '', openings = '1', milliseconds = '100'] = process.argv.slice(2);
/** The clock stands still: a tick that depends only on what this process has seen is no later than another's rows. */
const clock = (): bigint => 1n;
/** Tasks of one row conflict; tasks of several rows share batches. */
const ROWS = ['a', 'a', 'b', 'c', 'd', 'e'];

const say = (line: string): number => writeSync(1, `${line}\n`);

const increment = (store: Store, space: Space, key: string): Promise<number | undefined> =>
  store.commit(space, key, { keys: [key] }, ({ keys }, tick) => {
    if (keys[0] !== undefined && keys[0].version >= tick) throw new Error('The version does not rise.');
    const count = Number(keys[0]?.value.subarray(0, 8).toString() ?? 0) + 1;
    const value = Buffer.alloc(300 + (count % 5) * 2000);
    value.write(String(count).padStart(8, '0'));
    return { result: count, puts: [{ key, value }] };
  });

async function countUp(store: Store, space: Space, key: string, until: number): Promise<void> {
  while (performance.now() < until) {
    try {
      say(`${key} ${await increment(store, space, key)}`);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'busy') throw error;
      say(`${key} unknown`);
    }
  }
}

for (let opening = 0; opening < Number(openings); opening += 1) {
  const store = await openLmdbStore({ directory, exclusive: true, clock }, { logAfter: 0 });
  const space = (await store.createSpace(ADDRESS, Buffer.alloc(0))) ?? (await store.getSpace(ADDRESS));
  if (space === undefined) throw new Error('There is no space.');
  const until = performance.now() + Number(milliseconds) * (0.5 + Math.random());
  await Promise.all(ROWS.map(key => countUp(store, space, key, until)));
  await store.close();
}
say('over 0');
