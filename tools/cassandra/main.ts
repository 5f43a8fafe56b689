// npm run cassandra -- start [1|3] | kill N | pause N | resume N | restart N | stop: a cluster of Cassandra on this machine, for tests and for trying.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Cluster, onLoopback } from './cluster.js';

const USAGE = `npm run cassandra -- start [1|3]    a new cluster, on 127.0.0.1 or 127.0.0.1 to 3
npm run cassandra -- kill N         ends node N at once
npm run cassandra -- pause N        stops its process; it keeps its connections
npm run cassandra -- resume N
npm run cassandra -- restart N      starts it again with its data
npm run cassandra -- stop           ends all and removes their data
npm run cassandra -- run COMMAND    runs a command beside a cluster of one node, whose host SHELFMARK_CASSANDRA names

SHELFMARK_CASSANDRA_FIRST=N puts the first node at 127.0.0.N.
`;

// Two checkouts on one machine each have a cluster where their addresses differ.
const before = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1) - 1;
const cluster = new Cluster(
  fileURLToPath(new URL('../../../.cassandra', import.meta.url)),
  onLoopback(before),
);

function nodeIn(text: string | undefined): number {
  const node = Number(text);
  if (!cluster.nodes.includes(node))
    throw new Error(`Name one of the nodes: ${cluster.nodes.join(', ') || 'there are none'}.`);
  return node;
}

async function beside([program = '', ...rest]: readonly string[]): Promise<string> {
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

async function run([verb, argument, ...rest]: readonly string[]): Promise<string> {
  switch (verb) {
    case 'start': {
      const count = argument === undefined ? 1 : Number(argument);
      if (count !== 1 && count !== 3) throw new Error('A cluster has one node or three.');
      await cluster.start(count);
      return `ready: ${cluster.nodes.map(node => cluster.hostOf(node)).join(', ')}`;
    }
    case 'kill':
      await cluster.kill(nodeIn(argument));
      return 'killed';
    case 'pause':
      cluster.pause(nodeIn(argument));
      return 'paused';
    case 'resume':
      cluster.resume(nodeIn(argument));
      return 'resumed';
    case 'restart':
      await cluster.restart(nodeIn(argument));
      return 'ready';
    case 'stop':
      await cluster.stop();
      return 'stopped';
    case 'run':
      if (argument === undefined) throw new Error(USAGE);
      return beside([argument, ...rest]);
    default:
      throw new Error(USAGE);
  }
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
