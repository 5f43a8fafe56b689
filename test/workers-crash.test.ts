// Four workers under writes while they are killed, one at a time, all at once, and with their primary: what was answered
// is there, transactions are whole, and no death keeps the others from writing. SHELFMARK_LONG makes it two hundred kills;
// SHELFMARK_SEED repeats a run's choices, though not the moments at which they meet.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SpawnedServer, spawnServer } from './spawned-server.js';
import { Connection, childrenOf, isAlive, until } from './worker-processes.js';

const WORKERS = 4;
const WRITERS = 12;
const ROUNDS = process.env.SHELFMARK_LONG === undefined ? 1 : 20;
const KILLS = process.env.SHELFMARK_LONG === undefined ? 4 : 10;
/** Answers that must have come after each kill, in a time that is long against a commit and short against for ever. */
const PROGRESS = 20;
const PROGRESS_MILLISECONDS_MAX = 10_000;
const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ACCOUNT = '/devstoreaccount1';
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' };

/** An entity group transaction of three rows that belong together. */
function transaction(row: string) {
  const parts = ['a', 'b', 'c'].map(part => {
    const entity = JSON.stringify({ PartitionKey: 'p', RowKey: `${row}${part}` });
    const head = `POST http://h${ACCOUNT}/crash HTTP/1.1\r\nContent-Type: application/json\r\nPrefer: return-no-content`;
    return `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${head}\r\n\r\n${entity}\r\n`;
  });
  const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`;
  const headers = { 'Content-Type': 'multipart/mixed; boundary=b' };
  return { method: 'POST', target: `${ACCOUNT}/$batch`, headers, body };
}

/** Writes one transaction after the other, each once, and remembers those that were answered. */
class Writers {
  readonly answered = new Set<string>();
  /** Answers that say that something went wrong; a broken connection is none. */
  readonly refusals: string[] = [];
  #atNextAnswer: (() => void) | undefined;
  #isOver = false;
  #runs: Promise<unknown> = Promise.resolve();

  start(port: number, round: string): void {
    this.#isOver = false;
    this.#runs = Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => this.#run(port, `${round}.${writer}`)),
    );
  }

  /** Calls in the moment in which an answer is there: what was answered too early is not on disk then. */
  atNextAnswer(call: () => void): void {
    this.#atNextAnswer = call;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#runs;
  }

  async #run(port: number, name: string): Promise<void> {
    let connection = new Connection(port);
    for (let count = 0; !this.#isOver; count++) {
      const row = `${name}.${count}.`;
      try {
        const { status, body } = await connection.request(transaction(row));
        this.#atNextAnswer?.();
        this.#atNextAnswer = undefined;
        if (status === 202 && !/HTTP\/1\.1 [^2]/.test(body)) this.answered.add(row);
        else this.refusals.push(`${status} ${body}`);
      } catch {
        connection.close();
        connection = new Connection(port);
        await sleep(5);
      }
    }
    connection.close();
  }
}

async function rowsOf(port: number): Promise<Set<string>> {
  const connection = new Connection(port);
  const rows = new Set<string>();
  for (let next = ''; ; ) {
    const target = `${ACCOUNT}/crash()?$select=RowKey${next}`;
    const { status, headers, body } = await connection.request({ method: 'GET', target, headers: HEADERS });
    assert.equal(status, 200);
    for (const { RowKey } of JSON.parse(body).value) rows.add(RowKey);
    const [partition, row] = [
      headers['x-ms-continuation-nextpartitionkey'],
      headers['x-ms-continuation-nextrowkey'],
    ];
    if (partition === undefined) break;
    next = `&NextPartitionKey=${partition}&NextRowKey=${row}`;
  }
  connection.close();
  return rows;
}

async function assertKept(port: number, { answered, refusals }: Writers): Promise<void> {
  assert.deepEqual(refusals, []);
  const rows = await rowsOf(port);
  for (const row of answered) assert(rows.has(`${row}a`), `${row} was answered (seed ${seed})`);
  for (const row of rows)
    for (const part of ['a', 'b', 'c'])
      assert(rows.has(row.slice(0, -1) + part), `${row} is not alone (seed ${seed})`);
}

async function killSome(server: SpawnedServer, writers: Writers, random: () => number): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(40 + random() * 160);
    const living = childrenOf(server.pid);
    // The last one takes them all.
    const victims = kill === KILLS - 1 ? living : [living[Math.floor(random() * living.length)] ?? 0];
    let enough = Number.POSITIVE_INFINITY;
    writers.atNextAnswer(() => {
      for (const pid of victims) if (pid !== 0) process.kill(pid, 'SIGKILL');
      enough = writers.answered.size + PROGRESS;
    });
    const what = `others write after kill ${kill} (seed ${seed})`;
    await until(what, () => writers.answered.size >= enough, PROGRESS_MILLISECONDS_MAX);
  }
}

test('acknowledged writes survive the death of a worker, of all, and of the whole group', {
  skip: process.platform !== 'linux',
  timeout: ROUNDS * 120_000,
}, async t => {
  t.diagnostic(`SHELFMARK_SEED=${seed}`);
  const random = randomOf(seed);
  const data = await mkdtemp(join(tmpdir(), 'shelfmark-crash-'));
  t.after(() => rm(data, { recursive: true, maxRetries: 5 }));
  const writers = new Writers();
  for (let round = 0; round < ROUNDS; round++) {
    const args = ['serve', '--data', data, '--table-port', '0', '--workers', String(WORKERS)];
    const server = await spawnServer(args, { detached: true });
    t.after(() => server.stop('SIGKILL'));
    if (round === 0) {
      const connection = new Connection(server.port);
      const body = JSON.stringify({ TableName: 'crash' });
      await connection.request({ method: 'POST', target: `${ACCOUNT}/Tables`, headers: HEADERS, body });
      connection.close();
    }
    await assertKept(server.port, writers);
    writers.start(server.port, String(round));
    await killSome(server, writers, random);
    await sleep(random() * 200);
    const workers = childrenOf(server.pid);
    writers.atNextAnswer(() => process.kill(-server.pid, 'SIGKILL'));
    await until('all are gone', () => !isAlive(server.pid) && !workers.some(isAlive));
    await writers.stop();
  }
  const last = await spawnServer(['serve', '--data', data, '--table-port', '0']);
  t.after(() => last.stop('SIGKILL'));
  await assertKept(last.port, writers);
  t.diagnostic(`${writers.answered.size} transactions were answered, ${ROUNDS * KILLS} kills`);
  assert.equal((await last.stop('SIGTERM')).code, 0);
});
