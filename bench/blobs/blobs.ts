// The Blob service: small blobs compared with entities of the same server, large ones with node:http and node:fs, lists
// with Azurite's, memory, and the effect of uploads on other requests. Runs are interleaved, as everywhere in the
// benchmark. blobs-report.ts has the goals.
import { join } from 'node:path';
import { Arena } from '../subjects/arena.js';
import { startAzuriteBlobs } from '../subjects/azurite.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { type ShelfmarkOptions, startShelfmark } from '../subjects/shelfmark.js';
import {
  fillAzurite,
  LIST_CONTAINER,
  LISTED_MAX,
  LOGS_CONTAINER,
  measureLists,
  measurePrefix,
  type PrefixList,
} from './blob-lists.js';
import type { Filling } from './fill.js';
import { type BlobsOptions, fill, type Rate, type Subject } from './ground.js';
import { type MemoryUse, measureMemory, measureTransfers } from './large-blobs.js';
import type { BlobPart } from './parts.js';
import {
  measureAppends,
  measureSmall,
  measureTail,
  type Ours,
  SMALL_CONTAINER,
  type Tail,
} from './small-blobs.js';

/** Parts that were not asked for are absent. */
export interface Blobs {
  readonly small?: readonly Rate[];
  readonly appends?: readonly Rate[];
  readonly transfers?: readonly Rate[];
  readonly memory?: readonly MemoryUse[];
  readonly tail?: Tail;
  readonly lists?: readonly Rate[];
  readonly prefix?: PrefixList;
}

const NEEDS_SERVER: readonly BlobPart[] = ['small', 'appends', 'transfers', 'tail', 'lists', 'prefix'];

function containersFor({ parts, rows, count }: BlobsOptions): Filling['containers'] {
  const has = (...some: BlobPart[]): boolean => some.some(part => parts.includes(part));
  return [
    ...(has('small', 'appends', 'tail')
      ? [{ name: SMALL_CONTAINER, count: rows, naming: 'rows' } as const]
      : []),
    ...(has('lists')
      ? [{ name: LIST_CONTAINER, count: Math.min(count, LISTED_MAX), naming: 'logs' } as const]
      : []),
    ...(has('prefix') ? [{ name: LOGS_CONTAINER, count, naming: 'logs' } as const] : []),
  ];
}

/** Ports of tables, of queues, of blobs. */
function blobPortOf(process: ServerProcess): number {
  const port = process.ports[2];
  if (port === undefined) throw new Error('Shelfmark names no port of blobs.');
  return port;
}

async function startOurs(arena: Arena, options: BlobsOptions): Promise<Ours> {
  const containers = containersFor(options);
  if (containers.length > 0) {
    const filling = { directory: arena.shelfmarkDirectory, account: arena.account.name, containers };
    const { milliseconds } = await fill(filling);
    options.say(`blobs filled in ${(milliseconds / 1000).toFixed(1)} s`);
  }
  const { endpoint, processes, data } = await arena.addShelfmark();
  const [process] = processes;
  if (process === undefined) throw new Error('Nothing was started.');
  return {
    name: 'shelfmark',
    process,
    tables: endpoint,
    blobs: { ...endpoint, port: blobPortOf(process) },
    data,
  };
}

async function startAzuriteSubject(arena: Arena, { directory }: BlobsOptions): Promise<Subject> {
  const process = await startAzuriteBlobs(join(directory, 'azurite-blobs'), arena.account);
  const { name: account, signature } = arena.account;
  return { name: 'azurite', process, blobs: { port: process.port, account, signature } };
}

/** A server on data of its own, the same at each start. */
const freshServer =
  ({ account }: Arena, { directory, durability, workers }: BlobsOptions) =>
  async (): Promise<Subject> => {
    const own: ShelfmarkOptions = { directory: join(directory, 'memory'), account, durability, workers };
    const process = await startShelfmark(own);
    const blobs = { port: blobPortOf(process), account: account.name, signature: account.signature };
    return { name: 'shelfmark', process, blobs };
  };

async function measureListsBesideAzurite(
  arena: Arena,
  server: Ours,
  options: BlobsOptions,
): Promise<readonly Rate[]> {
  const count = Math.min(options.count, LISTED_MAX);
  if (!options.withAzurite) return measureLists([server], count, options);
  server.process.pause();
  const azurite = await startAzuriteSubject(arena, options);
  await fillAzurite(azurite, count, options.say);
  azurite.process.pause();
  const rates = await measureLists([server, azurite], count, options);
  await azurite.process.stop();
  return rates;
}

export async function measureBlobs(options: BlobsOptions): Promise<Blobs> {
  const { parts, rows } = options;
  const arena = new Arena(rows, options);
  const memory = parts.includes('memory')
    ? { memory: await measureMemory(freshServer(arena, options), options) }
    : {};
  if (!NEEDS_SERVER.some(part => parts.includes(part))) return memory;
  const server = await startOurs(arena, options);
  const when = async <K extends BlobPart>(part: K, measure: () => Promise<Required<Blobs>[K]>) =>
    parts.includes(part) ? { [part]: await measure() } : {};
  const measured: Blobs = {
    ...(await when('small', () => measureSmall(server, options))),
    ...(await when('appends', () => measureAppends(server, options))),
    ...(await when('tail', () => measureTail(server, options))),
    ...(await when('transfers', () => measureTransfers(server, options))),
    ...memory,
    ...(await when('prefix', () => measurePrefix(server, options))),
    ...(await when('lists', () => measureListsBesideAzurite(arena, server, options))),
  };
  await arena.stop();
  return measured;
}
