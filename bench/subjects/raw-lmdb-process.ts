// Raw LMDB as a process of its own: fills the file that its arguments name, and executes its parent's messages.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open } from './lmdb.js';
import type { RawWorkload } from './lmdb-subject.js';
import { RawLmdb } from './raw-lmdb.js';

const [path = '', rows = '', durability = ''] = process.argv.slice(2);
const database = open(path, {
  encoding: 'binary',
  // With the default a put is acknowledged before it is on disk: not what a durable server promises.
  overlappingSync: false,
  noSync: durability === 'none',
});
const raw = new RawLmdb(database, Number(rows));

process.on('message', ({ workload, milliseconds }: { workload: RawWorkload; milliseconds: number }) => {
  raw.run(workload, milliseconds).then(
    result => process.send?.({ result }),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
process.once('SIGTERM', () => {
  database
    .close()
    .then(nextTurn)
    .finally(() => process.exit(0));
});
await raw.load();
process.stdout.write('raw lmdb is ready\n');
