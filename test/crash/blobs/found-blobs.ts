// Reads all blobs of the writers' container: through a server, and from a store when no server runs. Also finds which
// contents of a store are unnamed.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from 'shelfmark';
import { systemClock } from '#base';
import { BackgroundWork, BlobSweep, contentsNamedBy } from '#blobs';
import { collectRows, type Engine, type Space } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { Connection } from '../../support/worker-processes.js';
import type { Found } from '../history.js';
import { rawBlobRequest, tickOfEtag } from './blob-request.js';
import { partsOf, showParts } from './parts.js';

export const CONTAINER = 'written';
const ACCOUNT = 'devstoreaccount1';
const UNBOUNDED = { rows: 1e9, bytes: 1e12, examined: 1e9, milliseconds: 1e9 };
const SPACES_MAX = 1000;

export const containerPath = `container ${CONTAINER}`;
export const blobPath = (blob: string): string => `blob ${blob}`;
export const stagedPath = (blob: string): string => `blob ${blob}, staged`;
/** Snapshots are identified by their metadata. */
export const snapshotPath = (blob: string, metadata: string): string => `blob ${blob}, snapshot ${metadata}`;

/** The text of a blob in a history. */
export const blobText = (shownParts: string, metadata: string): string => `${metadata}: ${shownParts}`;

type Finds = Map<string, { text: string; tick: bigint }>;

export async function foundByBlobServer(port: number): Promise<Found> {
  const connection = new Connection(port);
  const found: Finds = new Map();
  const query = 'restype=container&comp=list&include=snapshots,metadata,uncommittedblobs';
  const { status, body } = await connection.request(
    rawBlobRequest({ method: 'GET', path: CONTAINER, query }),
  );
  if (status === 404) return found;
  if (status !== 200) throw new Error(`The blobs were answered ${status} ${body}`);
  found.set(containerPath, { text: 'a container', tick: 0n });
  const names = new Set<string>();
  for (const [, blob = ''] of body.matchAll(/<Blob>(.*?)<\/Blob>/gs)) {
    const [, name = ''] = /<Name>(.*?)<\/Name>/.exec(blob) ?? [];
    const [, etag] = /<Etag>(.*?)<\/Etag>/.exec(blob) ?? [];
    names.add(name);
    if (!/<Content-Length>/.test(blob) || etag === undefined) continue;
    const [, snapshot] = /<Snapshot>(.*?)<\/Snapshot>/.exec(blob) ?? [];
    const [, metadata = ''] = /<m>(.*?)<\/m>/.exec(blob) ?? [];
    const text = blobText(await partsIn(connection, name, snapshot), metadata);
    const path = snapshot === undefined ? blobPath(name) : snapshotPath(name, metadata);
    found.set(path, { text, tick: snapshot === undefined ? tickOfEtag(etag) : 0n });
  }
  for (const name of names) {
    const staged = await stagedOf(connection, name);
    if (staged !== '') found.set(stagedPath(name), { text: staged, tick: 0n });
  }
  connection.close();
  return found;
}

async function partsIn(connection: Connection, blob: string, snapshot: string | undefined): Promise<string> {
  const query = snapshot === undefined ? '' : `snapshot=${encodeURIComponent(snapshot)}`;
  const { status, body } = await connection.request(
    rawBlobRequest({ method: 'GET', path: `${CONTAINER}/${blob}`, query }),
  );
  if (status !== 200) return `is answered ${status} ${body}`;
  const parts = partsOf(body);
  return typeof parts === 'string' ? parts : showParts(parts);
}

/** Uncommitted blocks, with their lengths. */
async function stagedOf(connection: Connection, blob: string): Promise<string> {
  const query = 'comp=blocklist&blocklisttype=uncommitted';
  const { body } = await connection.request(
    rawBlobRequest({ method: 'GET', path: `${CONTAINER}/${blob}`, query }),
  );
  const blocks = body.matchAll(/<Block><Name>(.*?)<\/Name><Size>(\d+)<\/Size><\/Block>/g);
  return [...blocks]
    .map(([, id, length]) => `${id}=${length}`)
    .sort()
    .join(' ');
}

/** Opens the store like a server, for as long as this takes. */
export async function foundBlobsInStore(directory: string): Promise<Found> {
  const server = await serve({
    data: directory,
    tablePort: 0,
    queuePort: 0,
    blobPort: 0,
    logLevel: 'silent',
  });
  try {
    return await foundByBlobServer(Number(new URL(server.endpoints.blob ?? '').port));
  } finally {
    await server.close();
  }
}

/** After a sweep, the existing contents are those that rows name. */
export async function faultsOfContents(directory: string): Promise<readonly string[]> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    const context = {
      store,
      content: store.content,
      clock: systemClock,
      background: new BackgroundWork(),
      ids: randomUUID,
    };
    const sweep = new BlobSweep({ ...context, accounts: () => [ACCOUNT] });
    while (!(await sweep.step()).isPassOver);
    const faults: string[] = [];
    for (const space of await store.listSpaces(ACCOUNT, 'blob', '', SPACES_MAX))
      faults.push(...(await faultsIn(store, space, join(directory, 'contents', String(space.id)))));
    return faults;
  } finally {
    await store.close();
  }
}

async function faultsIn(store: Engine, space: Space, directory: string): Promise<readonly string[]> {
  const there = new Set(existsSync(directory) ? readdirSync(directory) : []);
  const { rows } = await collectRows(store, space, { from: { partition: '', key: '' } }, UNBOUNDED);
  const named = new Set<string>();
  for (const row of rows) {
    for (const { id, bytes, names } of contentsNamedBy(space, row)) {
      named.add(id);
      if (there.has(id))
        for (const one of names?.(readFileSync(join(directory, id)).subarray(0, bytes)) ?? [])
          named.add(one.id);
    }
  }
  return [
    ...[...there].filter(id => !named.has(id)).map(id => `${space.name}: no row names the content ${id}.`),
    ...[...named].filter(id => !there.has(id)).map(id => `${space.name}: the content ${id} is missing.`),
  ];
}
