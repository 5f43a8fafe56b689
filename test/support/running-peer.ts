// Servers that tests of clients run against: Shelfmark in this process, which `npm test` takes; and, where
// SHELFMARK_PEERS names them, Shelfmark in a process of its own and Azurite.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from 'shelfmark';
import { startAllOfAzurite } from '../../bench/subjects/azurite.js';
import { spawnServer } from './spawned-server.js';

export type PeerName = 'memory' | 'process' | 'azurite';

export interface RunningPeer {
  readonly connectionString: string;
  close(): Promise<void>;
}

/** The values of a connection string by their names. */
export const settingsOf = (connectionString: string): ReadonlyMap<string, string> =>
  new Map(
    connectionString.split(';').map(setting => {
      const at = setting.indexOf('=');
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );

async function startMemory(): Promise<RunningPeer> {
  const server = await serve({ data: undefined });
  return { connectionString: server.connectionString(), close: () => server.close() };
}

async function startProcess(): Promise<RunningPeer> {
  const data = await mkdtemp(join(tmpdir(), 'shelfmark-peer-'));
  // If the port of tables is given, the others are the usual ones, which tests side by side cannot share.
  const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
  const server = await spawnServer(['serve', '--data', data, ...ports]);
  const close = async (): Promise<void> => {
    await server.stop('SIGTERM');
    await rm(data, { recursive: true });
  };
  return { connectionString: server.connectionString, close };
}

async function startAzurite(): Promise<RunningPeer> {
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-azurite-'));
  const [name, key] = [WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY];
  const account = { name, setting: `${name}:${key}`, signature: '' };
  const azurite = await startAllOfAzurite(directory, account);
  const close = async (): Promise<void> => {
    await azurite.stop();
    await rm(directory, { recursive: true });
  };
  const [blobs, queues, tables] = azurite.ports.map(port => `http://127.0.0.1:${port}/${name}`);
  return {
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${tables};QueueEndpoint=${queues};BlobEndpoint=${blobs};`,
    close,
  };
}

const STARTS: Readonly<Record<PeerName, () => Promise<RunningPeer>>> = {
  memory: startMemory,
  process: startProcess,
  azurite: startAzurite,
};

const isPeerName = (name: string): name is PeerName => Object.hasOwn(STARTS, name);

export const WANTED_PEERS = (process.env.SHELFMARK_PEERS ?? 'memory').split(',').map(name => {
  assert(isPeerName(name), `SHELFMARK_PEERS may name ${Object.keys(STARTS).join(', ')}, not ${name}.`);
  return name;
});

export const startPeer = (name: PeerName): Promise<RunningPeer> => STARTS[name]();
