// How `shelfmark serve --workers` starts and ends: signals, the death of the primary, workers that cannot start, mistakes.
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { signedHeaders } from '../support/raw-client.js';
import { runToEnd } from '../support/spawned-server.js';
import { isTaken, takenPort } from '../support/taken-port.js';
import { childrenOf, isAlive, WELL_KNOWN } from '../support/worker-processes.js';
import {
  connections,
  createTable,
  newDirectory,
  send,
  serve,
  skip,
  skipLong,
} from '../support/worker-server.js';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

test('a signal lets requests in progress be answered; a second one does not wait', {
  skip: skipLong,
}, async t => {
  for (const isPatient of [true, false]) {
    const server = await serve(t, 2);
    const made = await connections(t, server, 2);
    await made[0]?.request(createTable('things'));
    const workers = childrenOf(server.pid);
    // The body of this request is still to come, so that its worker has a request in progress.
    const open = connect(server.port, '127.0.0.1');
    open.on('error', () => undefined);
    let answer = '';
    open.on('data', chunk => {
      answer += String(chunk);
    });
    // Signed: an unknown caller is answered before the body. Once its worker asks for the body the request is in progress.
    const put = send('PUT', '/things', {}, { Expect: '100-continue' });
    const head = Object.entries({ Host: 'h', ...signedHeaders({ account: WELL_KNOWN }, put) });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    open.write(`${put.method} ${put.target} HTTP/1.1\r\n${lines}\r\n`);
    await until('the body is asked for', () => answer === CONTINUE);
    open.write('{');
    const stopped = server.stop('SIGTERM');
    await until('one worker has ended', () => workers.filter(isAlive).length === 1);
    await until('nobody new is let in', async () => !(await isTaken(server.port)));
    if (isPatient) open.write('}');
    else process.kill(server.pid, 'SIGTERM');
    assert.equal((await stopped).code, isPatient ? 0 : 1);
    await until('all workers are gone', () => !workers.some(isAlive));
    assert.equal(answer.startsWith(`${CONTINUE}HTTP/1.1 4`), isPatient, answer);
    open.destroy();
  }
});

test('a primary that is killed leaves no worker behind, and the port free', { skip: skipLong }, async t => {
  const server = await serve(t, 2);
  const workers = childrenOf(server.pid);
  assert.equal(workers.length, 2);
  await server.stop('SIGKILL');
  await until('all workers are gone', () => !workers.some(isAlive));
  assert.equal(await isTaken(server.port), false);
});

test('workers that can no longer start end all processes', { skip: skipLong }, async t => {
  const server = await serve(t, 2);
  const data = server.place.replace('data in ', '');
  const workers = childrenOf(server.pid);
  await rename(data, `${data}.away`);
  await writeFile(data, 'no directory');
  process.kill(workers[0] ?? 0, 'SIGKILL');
  await until('the primary ends', () => !isAlive(server.pid));
  const { code, stderr } = await server.stop('SIGTERM');
  assert.equal(code, 1);
  assert.match(stderr, /cannot hold a store.*\), as those before it did; no other is tried\.\n$/s);
  await until('all workers are gone', () => !workers.some(isAlive));
});

test('mistakes are reported once and in one sentence, and nothing is left running', { skip }, async t => {
  const file = newDirectory();
  await writeFile(file, '');
  const taken = await takenPort(t);
  const at = (data: string, port: number | string = 0): string[] => [
    '--table-port',
    String(port),
    '--data',
    data,
  ];
  const mistakes: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
    [at(file), /^shelfmark: .* cannot hold a store.*\n$/],
    [
      at(newDirectory(), taken),
      new RegExp(`^shelfmark: .*EADDRINUSE.*${taken}: another program listens there; .*\\.\\n$`),
    ],
    [
      [...at(newDirectory()), '--host', '0.0.0.0'],
      /^shelfmark: The emulator's well-known key is not a secret.*\n$/,
    ],
    [['--inMemoryPersistence'], /^shelfmark: --inMemoryPersistence keeps the data in one process, .*\n$/],
    [[...at(newDirectory()), '--cert', file], /^shelfmark: --cert and --key go together\.\n$/],
  ];
  // Only processes of a cluster meet a taken port twice; the others are the same for one.
  const tried = skipLong === false ? mistakes : mistakes.slice(1, 2);
  await Promise.all(
    tried.map(async ([args, sentence]) => {
      const exit = await runToEnd(['serve', '--workers', '2', ...args]);
      assert.match(exit.stderr, sentence);
      assert.deepEqual([exit.code, exit.stdout], [1, '']);
    }),
  );
  if (skipLong !== false) return;
  const wrong = await runToEnd(['serve', '--workers', 'some']);
  assert.match(wrong.stderr, /^error: .* A number of processes from 1 to 64, or auto\.\n$/);
});

test('one worker is the process itself, and auto is one per core', { skip: skipLong }, async t => {
  const [alone, many] = [await serve(t, 1), await serve(t, 'auto')];
  assert.doesNotMatch(alone.readyLine, /processes/);
  assert.deepEqual(childrenOf(alone.pid), []);
  const cores = availableParallelism();
  assert.equal(childrenOf(many.pid).length, cores === 1 ? 0 : cores);
});
