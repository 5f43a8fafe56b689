// npm run cassandra -- start [1|3] | kill N | pause N | resume N | restart N | stop: a cluster of Cassandra on this
// machine, for tests and experiments.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Cluster, onLoopback } from './cluster.js';
import { NEVER_RESTARTED } from './node-files.js';

const USAGE = `npm run cassandra -- start [1|3]    a new cluster, on 127.0.0.1 or 127.0.0.1 to 3
npm run cassandra -- kill N         ends node N at once
npm run cassandra -- pause N        stops its process; it keeps its connections
npm run cassandra -- resume N       lets a paused one go on
npm run cassandra -- restart N      starts it again with its data; kills it first where it runs
npm run cassandra -- stop           ends all and removes their data
npm run cassandra -- run COMMAND    runs a command beside a cluster of one node, whose host SHELFMARK_CASSANDRA names

SHELFMARK_CASSANDRA_FIRST=N puts the first node at 127.0.0.N.
`;

/** With three, the last is below the end of the loopback range. */
const FIRST_MAX = 252;

/** The last number of the first node's address. Clusters with different addresses can coexist, even in one checkout. */
function firstAddress(): number {
  const text = process.env.SHELFMARK_CASSANDRA_FIRST ?? '1';
  const first = /^\d+$/.test(text) ? Number(text) : 0;
  if (first < 1 || first > FIRST_MAX)
    throw new Error(`SHELFMARK_CASSANDRA_FIRST is a whole number from 1 to ${FIRST_MAX}: ${text} is none.`);
  return first;
}

function nodeIn(cluster: Cluster, text = ''): number {
  const { nodes } = cluster;
  if (nodes.length === 0) throw new Error('There is no cluster: start makes one.');
  const node = nodes.find(one => String(one) === text);
  if (node === undefined) throw new Error(`Name one of the nodes: ${nodes.join(', ')}.`);
  return node;
}

/** Changes of one node. */
const CHANGES = ['kill', 'pause', 'resume', 'restart'] as const;

async function beside(cluster: Cluster, [program = '', ...rest]: readonly string[]): Promise<string> {
  await cluster.start(1);
  try {
    const child = spawn(program, rest, {
      stdio: 'inherit',
      env: { ...process.env, SHELFMARK_CASSANDRA: cluster.hostOf(1) },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} ended with ${code}.`);
  } finally {
    await cluster.stop();
  }
  return 'stopped';
}

async function run([verb = '', ...rest]: readonly string[]): Promise<string> {
  const first = firstAddress();
  const directory = new URL(`../../../.cassandra/${first}`, import.meta.url);
  const [path, places] = [fileURLToPath(directory), onLoopback(first - 1)];
  const [argument] = rest;
  if (verb === 'run' && argument !== undefined)
    return beside(new Cluster(path, places, NEVER_RESTARTED), rest);
  const cluster = new Cluster(path, places);
  if (verb === 'stop' && rest.length === 0) {
    await cluster.stop();
    return 'stopped; no data is left';
  }
  if (verb === 'start' && (argument === undefined || argument === '1' || argument === '3')) {
    await cluster.start(Number(argument ?? 1));
    return `ready: ${cluster.nodes.map(node => cluster.hostOf(node)).join(', ')}`;
  }
  const change = CHANGES.find(each => each === verb);
  if (change === undefined || rest.length > 1) throw new Error(USAGE);
  const node = nodeIn(cluster, argument);
  await cluster[change](node);
  return `${verb}: node ${node} at ${cluster.hostOf(node)}`;
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : String(error)}\n`);
  process.exitCode = 1;
}
