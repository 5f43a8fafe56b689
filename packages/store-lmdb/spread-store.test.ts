// Runs the conformance suite on a store that is open in four processes: calls of each law, reads and commits, go to the
// processes in rotation. SHELFMARK_LONG adds the laws that a single process can break too.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { conformance } from '#store/conformance';
import { Spread } from './testing/spread-store.js';

const PROCESSES = 4;
const isLong = process.env.SHELFMARK_LONG !== undefined;
/**
 * Laws about order, the longest keys and long scans: many rows, each passed to the test by a question between
 * processes.
 */
const OF_ONE_PROCESS = /: (?:law 1|law 3: a scan of one|scan|values|keys):? /;
const spread = new Spread(PROCESSES);
after(() => spread.end());

let opened = 0;

conformance({
  name: 'lmdb in four processes',
  test: (name, body) => test(name, { skip: !isLong && OF_ONE_PROCESS.test(name) }, body),
  histories: isLong ? 40 : 5,
  open: async ({ clock }) => {
    const directory = await mkdtemp(join(tmpdir(), 'lmdb-spread-'));
    const options = { directory, durability: 'none' };
    // Every other new file is created by four processes at once.
    let store = await spread.open(options, {}, clock, ++opened % 2 === 0);
    return {
      store,
      async reopen() {
        await store.close();
        store = await spread.open(options, {}, clock, true);
        return store;
      },
      async close() {
        await store.close();
        await rm(directory, { recursive: true });
      },
    };
  },
});
