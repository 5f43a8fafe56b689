// Raw LMDB as a process of its own: opens the file that its arguments name and executes its parent's messages.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isWorkload, type WorkloadName } from './contestant.js';
import { open } from './lmdb.js';
import { RawLmdb } from './raw-lmdb.js';

const [path = '', rows = '', durability = ''] = process.argv.slice(2);
const database = open(path, {
  encoding: 'binary',
  // With the default a put is acknowledged before it is on disk: not what a durable server promises.
  overlappingSync: false,
  noSync: durability === 'none',
});
const raw = new RawLmdb(database, Number(rows));

interface Asked {
  readonly load?: boolean;
  readonly workload: WorkloadName;
  readonly milliseconds: number;
}

function decodeAsked(message: unknown): Asked {
  const asked = message as { readonly [name in keyof Asked]?: unknown };
  const workload = String(asked.workload);
  if (asked.load === true) return { load: true, workload: 'insert', milliseconds: 0 };
  if (!isWorkload(workload)) throw new Error(`There is no workload '${workload}'.`);
  return { workload, milliseconds: Number(asked.milliseconds) };
}

async function answer(message: unknown): Promise<object> {
  const { load, workload, milliseconds } = decodeAsked(message);
  if (load === true) {
    await raw.load();
    return { result: undefined };
  }
  return { result: await raw.run(workload, milliseconds) };
}

process.on('message', message => {
  answer(message).then(
    reply => process.send?.(reply),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
process.once('SIGTERM', () => {
  database
    .close()
    .then(nextTurn)
    .finally(() => process.exit(0));
});
process.stdout.write('raw lmdb is ready\n');
