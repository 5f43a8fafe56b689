// Azurite as a subject, one process with all three services, for tests too: the newest version in the npm registry. It is installed on demand into a folder of its own and is no dependency of
// the project.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BENCH, PEERS } from '../places.js';
import type { Account } from './account.js';
import { ServerProcess } from './server-process.js';

const PACKAGE = join(PEERS, 'node_modules', 'azurite');
const ALL_READY = new RegExp(
  ['Blob', 'Queue', 'Table']
    .map(service => `Azurite ${service} service is successfully listening at http://127\\.0\\.0\\.1:(\\d+)`)
    .join('[^]*'),
);
const QUIET = ['--silent', '--skipApiVersionCheck', '--disableProductStyleUrl', '--disableTelemetry'];

/** The installed version; undefined if there is none. */
export function azuriteVersion(): string | undefined {
  const file = join(PACKAGE, 'package.json');
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/** Installs the newest version, or keeps the installed one if the registry cannot be reached. */
export function installAzurite(say: (line: string) => void): void {
  mkdirSync(PEERS, { recursive: true });
  copyFileSync(join(BENCH, 'package.json'), join(PEERS, 'package.json'));
  say(`installing the newest Azurite in ${PEERS}`);
  try {
    const args = ['install', '--prefix', PEERS, '--no-audit', '--no-fund', '--no-save', 'azurite@latest'];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: PEERS });
  } catch (error) {
    const version = azuriteVersion();
    if (version === undefined) throw error;
    say(`the registry cannot be reached; Azurite ${version} is there already`);
  }
}

/**
 * Outside of the system's ephemeral ports: Azurite takes seconds until it listens, and connections of others begin in
 * the meantime.
 */
const PORTS = { from: 12_000, to: 32_000 } as const;
const PORT_TRIES_MAX = 20;

/** Azurite does not support port 0. */
async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORT_TRIES_MAX; tried += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port.');
}

/**
 * All three services in one process, which starts in a third of the processor time of three. Its ports are those of
 * blobs, queues and tables.
 */
export async function startAllOfAzurite(directory: string, account: Account): Promise<ServerProcess> {
  const ports: string[] = [];
  for (const service of ['blob', 'queue', 'table']) ports.push(`--${service}Port`, String(await freePort()));
  return ServerProcess.start({
    name: 'azurite',
    script: join(PACKAGE, 'dist', 'src', 'azurite.js'),
    args: ['--location', directory, ...ports, ...QUIET],
    env: { AZURITE_ACCOUNTS: account.setting },
    ready: ALL_READY,
  });
}
