// Runs the conformance suite on a store that is open in four processes: calls of each law, reads and commits, go to the
// processes in rotation. SHELFMARK_LONG adds the laws that a single process can break too.
import { after, test } from 'node:test';
import { conformance } from '#store/conformance';
import { openedStore } from './testing/fixture.js';
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
  open: ({ clock }) => {
    // Every other new file is created by four processes at once.
    const isAtOnce = ++opened % 2 === 0;
    return openedStore((directory, isAgain) =>
      spread.open({ directory, durability: 'none' }, {}, clock, isAtOnce || isAgain),
    );
  },
});
