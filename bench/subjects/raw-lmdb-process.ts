// Raw LMDB as a process of its own: fills the file that its arguments name, and executes its parent's messages.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { reply } from '../load/ask-once.js';
import { open } from './lmdb.js';
import type { RawWorkload } from './lmdb-subject.js';
import { RawLmdb } from './raw-lmdb.js';

const [path = '', rows = ''] = process.argv.slice(2);
const database = open(path, {
  encoding: 'binary',
  // With the default a put is acknowledged before it is on disk: not what a durable server promises.
  overlappingSync: false,
});
const raw = new RawLmdb(database, Number(rows));

process.on('message', ({ workload, milliseconds }: { workload: RawWorkload; milliseconds: number }) => {
  reply(raw.run(workload, milliseconds));
});
process.once('SIGTERM', () => {
  database
    .close()
    .then(nextTurn)
    .finally(() => process.exit(0));
});
await raw.load();
process.stdout.write('raw lmdb is ready\n');
