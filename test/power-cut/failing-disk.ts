// A server whose disk fails for a while: it refuses writes that it cannot make durable, and every acknowledged one,
// before and after, is there.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#base/testing/until';
import { faultsOfFile } from '../crash/file-faults.js';
import { openStore } from '../histories/direct-sender.js';
import type { WritesCall } from '../simulation/judge/history.js';
import { pageOf, TABLE_WIRE } from '../simulation/run/table-wire.js';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { recordingEnvironment } from './recorder.js';
import { beginRecording } from './recording.js';

const WRITES = 5;
const TABLE = 'crash';

interface Told {
  readonly row: string;
  readonly status: number;
}

/**
 * Returns what was wrong. A failing sync is over when the disk recovers; after a failed synchronous write, of a record
 * of the log or of a meta page, the server must be restarted. The log is written synchronously: what it takes while
 * syncs fail is acknowledged rightly, and the tree gets it later.
 */
export async function faultsOfFailingDisk(
  directory: string,
  library: string,
  what: 'sync' | 'write',
  isLogged: boolean,
): Promise<readonly string[]> {
  const [root, log, failing] = ['root', 'recording', 'failing'].map(name => join(directory, name));
  if (root === undefined || log === undefined || failing === undefined) return ['Nothing is named.'];
  mkdirSync(root, { recursive: true });
  beginRecording(log);
  const env = recordingEnvironment({ root, log, library, failing });
  const data = join(root, 'data');
  const serve = () => spawnServer(['serve', '--data', data, '--table-port', '0', '--silent'], { env });
  const first = await serve();
  const told = await write(first, 'before', true);
  if (isLogged) await writeUntilLogged(first, join(data, 'data.log'), told);
  const writeWhileFailing = async (name: string): Promise<Told[]> => {
    writeFileSync(`${failing}.${what}`, '');
    const answers = await write(first, name);
    rmSync(`${failing}.${what}`);
    return answers;
  };
  const refused: Told[] = [];
  if (isLogged && what === 'sync') {
    let round = 0;
    // After a failing checkpoint the log takes nothing until the next one.
    await until('the log takes all that is written while syncs fail', async () => {
      const answers = await writeWhileFailing(`while${round++}-`);
      told.push(...answers.filter(isOk));
      return answers.every(isOk);
    });
  } else refused.push(...(await writeWhileFailing('while')));
  told.push(...(await write(first, 'after')));
  await first.stop('SIGKILL');
  const second = await serve();
  told.push(...(await write(second, 'again')));
  await second.stop('SIGTERM');
  const faults = refused.filter(isOk).map(({ row }) => `${row} was answered, although the disk failed.`);
  const expected = told.filter(({ row }) => what === 'sync' || !/^after|^while/.test(row));
  faults.push(
    ...expected.filter(one => !isOk(one)).map(({ row, status }) => `${row} was refused with ${status}.`),
  );
  const found = await keysIn(data);
  const lost = told.filter(one => isOk(one) && !found.has(one.row));
  return [...faults, ...lost.map(({ row }) => `${row} is lost.`), ...(await faultsOfFile(data))];
}

const isOk = ({ status }: Told): boolean => status === 204;

/** The log holds rows as they are. */
async function writeUntilLogged(server: SpawnedServer, log: string, told: Told[]): Promise<void> {
  let round = 0;
  await until('writes go to the log', async () => {
    const answers = await write(server, `logged${round++}-`);
    told.push(...answers);
    return existsSync(log) && readFileSync(log).includes(answers.at(-1)?.row ?? '');
  });
}

async function keysIn(directory: string): Promise<ReadonlySet<string>> {
  const store = await openStore(directory);
  const page = pageOf(TABLE);
  const { entities } = TABLE_WIRE.read(page, await TABLE_WIRE.send(store.table, page));
  await store.close();
  return new Set(entities.map(({ key }) => key));
}

async function write({ port }: SpawnedServer, name: string, isFirst = false): Promise<Told[]> {
  const connection = new Connection(port);
  if (isFirst) await TABLE_WIRE.send(connection, { kind: 'createTable', table: TABLE });
  const told: Told[] = [];
  for (let count = 0; count < WRITES; count += 1) {
    const row = `${name}${count}`;
    const write = { partition: 'p', key: row, properties: [], match: 'absent', ifMatch: undefined } as const;
    const call: WritesCall = {
      kind: 'writes',
      table: TABLE,
      writes: [{ kind: 'insert', ...write }],
      isBatch: false,
      prefer: 'return-no-content',
    };
    const { status } = await TABLE_WIRE.send(connection, call);
    told.push({ row, status });
  }
  connection.close();
  return told;
}
