// `npm run cassandra --` as a developer calls it: each command reports in one line what it did, and refuses what the
// node's state does not allow.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { ROOT } from '../../support/spawned-server.js';
import { addressOf } from '../node/own-cluster.js';

const FIRST = String(addressOf(5));
const HOST = `127.0.0.${FIRST}`;
const STOPPED = 'stopped; no data is left';
const COMMAND = join(ROOT, 'dist', 'tools', 'cassandra', 'main.js');

const called = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [COMMAND, ...args], {
    encoding: 'utf8',
    env: { ...process.env, SHELFMARK_CASSANDRA_FIRST: FIRST, ...env },
  });

function does(args: string, said: string): void {
  const { status, stdout, stderr } = called(args.split(' '));
  assert.deepEqual([status, stdout, stderr], [0, `${said}\n`, ''], args);
}

function refuses(args: string, said: string | RegExp, env?: NodeJS.ProcessEnv): void {
  const { status, stdout, stderr } = called(args.split(' '), env);
  assert.deepEqual([status, stdout], [1, ''], args);
  if (said instanceof RegExp) assert.match(stderr, said);
  else assert.equal(stderr, `${said}\n`);
}

describe('commands', { skip }, () => {
  after(() => called(['stop']));

  test('commands: impossible ones are refused, and leave no cluster behind', async () => {
    does('stop', STOPPED);
    refuses('kill 1', 'There is no cluster: start makes one.');
    for (const usage of ['begin', 'stop 1', 'start 2', 'start 01', 'start three', 'start 1 1', 'run'])
      refuses(usage, /^npm run cassandra -- start/);
    refuses('start', 'There is no java here: Cassandra needs Java 17.', { PATH: '' });
    const other = createServer().listen(9042, HOST);
    await once(other, 'listening');
    refuses('start', `Another program listens at ${HOST}:9042.`);
    other.close();
    does('stop', STOPPED);
  });

  test('commands: a node is started, paused, resumed, killed and started again', () => {
    does('start', `ready: ${HOST}`);
    refuses('start', /^A cluster is in .+: stop it first\.\n$/);
    for (const node of ['0', '2', '1.0', 'x']) refuses(`kill ${node}`, 'Name one of the nodes: 1.');
    refuses('resume 1', 'Node 1 is not paused.');
    does('pause 1', `node 1 at ${HOST}: paused`);
    refuses('pause 1', 'Node 1 is paused already.');
    does('resume 1', `node 1 at ${HOST}: resumed`);
    does('pause 1', `node 1 at ${HOST}: paused`);
    does('kill 1', `node 1 at ${HOST}: killed`);
    for (const verb of ['kill', 'pause', 'resume']) refuses(`${verb} 1`, 'Node 1 does not run.');
    does('restart 1', `node 1 at ${HOST}: restarted`);
    does('stop', STOPPED);
  });
});
