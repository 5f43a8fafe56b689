// Azurite as a subject: its Table, its Queue or its Blob service alone, of the newest version in the npm registry. It is installed on demand into
// a folder of its own and is no dependency of the project.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BENCH, PEERS } from '../places.js';
import type { Account } from './account.js';
import { ServerProcess } from './server-process.js';

const PACKAGE = join(PEERS, 'node_modules', 'azurite');
const READY = /Azurite Table service successfully started on 127\.0\.0\.1:(\d+)/;
const QUEUES_READY = /Azurite Queue service successfully listens on http:\/\/127\.0\.0\.1:(\d+)/;
const BLOBS_READY = /Azurite Blob service successfully listens on http:\/\/127\.0\.0\.1:(\d+)/;
const QUIET = ['--silent', '--skipApiVersionCheck', '--disableProductStyleUrl', '--disableTelemetry'];

/** The version installed; undefined if there is none. */
export function azuriteVersion(): string | undefined {
  const file = join(PACKAGE, 'package.json');
  if (!existsSync(file)) return undefined;
  const description: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof description === 'object' && description !== null && 'version' in description
    ? String(description.version)
    : undefined;
}

/** Installs the newest version, or keeps the one that is there if the registry cannot be reached. */
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

/** Azurite takes no port 0. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('There is no free port.'));
      });
    });
  });
}

export const startAzurite = (directory: string, account: Account): Promise<ServerProcess> =>
  startService('table', directory, account, READY);

/** The Queue service alone. */
export const startAzuriteQueues = (directory: string, account: Account): Promise<ServerProcess> =>
  startService('queue', directory, account, QUEUES_READY);

/** The Blob service alone. */
export const startAzuriteBlobs = (directory: string, account: Account): Promise<ServerProcess> =>
  startService('blob', directory, account, BLOBS_READY);

async function startService(
  service: 'table' | 'queue' | 'blob',
  directory: string,
  account: Account,
  ready: RegExp,
): Promise<ServerProcess> {
  const port = await freePort();
  return ServerProcess.start({
    name: 'azurite',
    script: join(PACKAGE, 'dist', 'src', service, 'main.js'),
    args: ['--location', directory, `--${service}Port`, String(port), ...QUIET],
    env: { AZURITE_ACCOUNTS: account.setting },
    ready,
  });
}
