// A process that uses a store's log as a server does: appends, checks that the log is still its own, answers; until
// another process has taken it over. It writes a line for each round that it answers, and at the end what it found:
// `replayed N` or `not replayed N`.
//
//   node log-owner.js DIRECTORY BYTES           BYTES: of each row
import { writeSync } from 'node:fs';
import { LoggedStore } from './logged-store.js';

const [directory = '', bytes = '0'] = process.argv.slice(2);
const value = Buffer.alloc(Number(bytes), 'v');
const say = (line: string): number => writeSync(1, `${line}\n`);

const store = await LoggedStore.open(directory, 'full');
const { environment } = store;
for (let round = 0; ; round += 1) {
  await store.append({ [`${round}a`]: value, [`${round}b`]: value, last: String(round) });
  environment.snapshot.refresh();
  if (!store.isOwn()) {
    const mark = environment.catalog.getLogFence();
    const isReplayed = mark !== undefined && mark.state === 'read' && mark.tick >= store.tick;
    if (mark?.state === 'taken') say(`taken ${round}`);
    else say(`${isReplayed ? 'replayed' : 'not replayed'} ${round}`);
    break;
  }
  say(`answered ${round}`);
  if (round % 7 === 6) await store.apply(round % 3);
}
await store.abandon();
