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

/** The last number of the first node's address. Clusters with different addresses can coexist, even in one checkout. */
const FIRST = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1);

function nodeIn(cluster: Cluster, text = ''): number {
  const { nodes } = cluster;
  if (nodes.length === 0) throw new Error('There is no cluster: start makes one.');
  const node = nodes.find(one => String(one) === text);
  if (node === undefined) throw new Error(`Name one of the nodes: ${nodes.join(', ')}.`);
  return node;
}

/** Changes of one node. */
const CHANGES = { kill: 'killed', pause: 'paused', resume: 'resumed', restart: 'restarted' } as const;
const isChange = (verb: string): verb is keyof typeof CHANGES => Object.hasOwn(CHANGES, verb);

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
  if (!(Number.isInteger(FIRST) && FIRST >= 1 && FIRST <= 252))
    throw new Error('SHELFMARK_CASSANDRA_FIRST is a whole number from 1 to 252.');
  const directory = new URL(`../../../.cassandra/${FIRST}`, import.meta.url);
  const [path, places] = [fileURLToPath(directory), onLoopback(FIRST - 1)];
  const [argument] = rest;
  if (verb === 'run' && argument !== undefined)
    return beside(new Cluster(path, places, NEVER_RESTARTED), rest);
  const cluster = new Cluster(path, places);
  if (verb === 'stop' && rest.length === 0) {
    await cluster.stop();
    return 'stopped; no data is left';
  }
  const count = rest.length === 0 ? '1' : rest.join(' ');
  if (verb === 'start' && (count === '1' || count === '3')) {
    await cluster.start(Number(count));
    return `ready: ${cluster.nodes.map(node => cluster.hostOf(node)).join(', ')}`;
  }
  if (!isChange(verb) || rest.length > 1) throw new Error(USAGE);
  const node = nodeIn(cluster, argument);
  await cluster[verb](node);
  return `node ${node} at ${cluster.hostOf(node)}: ${CHANGES[verb]}`;
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : String(error)}\n`);
  process.exitCode = 1;
}
