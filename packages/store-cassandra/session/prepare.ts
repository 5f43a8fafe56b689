// The checks before a store is opened: that keyspace and tables exist, in this program's version, and that no setting
// of the cluster breaks the promise that acknowledged changes are kept.
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '#store';
import { SCHEMA_VERSION, TABLES } from '../layout/schema.js';
import type { ClusterAccess, Run } from './session.js';

export interface Wanted {
  readonly keyspace: string;
  readonly create: boolean;
  readonly replicas: number;
  readonly dataCenter: string | undefined;
  readonly unsafe: boolean;
}

export interface Prepared {
  /** The data center whose hosts are used. */
  readonly dataCenter: string;
  /** Settings that break the promise, `name=value`; empty unless that is allowed. */
  readonly unsafe: readonly string[];
}

/** Each with the values that keep the promise. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  // Otherwise a write is acknowledged before it is on disk.
  commitlog_sync: ['batch', 'group'],
  // The other variants read without checking writes in progress.
  paxos_variant: ['v1', 'v2'],
};

/** Nodes tell each other about tables within a second or two. */
const AGREE_MS = 10_000;
const AGREE_PAUSE_MS = 100;

const READ_SCHEMA = 'SELECT schema_version FROM system.local';
const READ_SETTINGS = 'SELECT name, value FROM system_views.settings';
const READ_KEYSPACE = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?';
const READ_VERSION = (keyspace: string) => `SELECT version FROM "${keyspace}".format WHERE name = 'store'`;
const PUT_VERSION = (keyspace: string) =>
  `INSERT INTO "${keyspace}".format (name, version) VALUES ('store', ${SCHEMA_VERSION}) IF NOT EXISTS`;

/**
 * @throws StoreError in one sentence that names what is wrong: `unsupported`, or `busy` if it may pass while nodes
 * start.
 */
export async function prepare(cluster: ClusterAccess, wanted: Wanted): Promise<Prepared> {
  const { run } = cluster;
  const dataCenter = dataCenterOf(cluster.dataCenters(), wanted.dataCenter);
  const settings = await unsafeSettings(cluster, dataCenter);
  await agree(cluster, dataCenter);
  if (wanted.create) {
    // Leaves a refused cluster as it was.
    refuse([...settings, ...tooFewNodes(cluster, dataCenter, wanted)], wanted);
    await createTables(cluster, dataCenter, wanted);
  }
  const unsafe = [...settings, ...(await tooFewIn(cluster, dataCenter, wanted))];
  await checkVersion(run, wanted.keyspace);
  refuse(unsafe, wanted);
  return { dataCenter, unsafe };
}

function refuse([first]: readonly string[], wanted: Wanted): void {
  if (first !== undefined && !wanted.unsafe)
    throw new StoreError(
      // A node that has just started does not know the others yet.
      first.startsWith('nodes=') ? 'busy' : 'unsupported',
      `${sentenceOf(first, wanted)} The option unsafe serves all the same.`,
    );
}

/** A node that does not know a table yet fails the requests for its rows. */
async function agree({ runOnEach }: ClusterAccess, dataCenter: string): Promise<void> {
  const giveUp = performance.now() + AGREE_MS;
  for (;;) {
    const answers = await runOnEach(dataCenter, READ_SCHEMA);
    const versions = new Set([...answers.values()].map(([row]) => String(row?.schema_version)));
    if (versions.size <= 1) return;
    if (performance.now() > giveUp)
      throw new StoreError('busy', 'The nodes of the cluster do not agree on their tables yet.');
    await sleep(AGREE_PAUSE_MS);
  }
}

/**
 * The requested one, or the only one.
 *
 * @throws StoreError `unsupported`: commits are decided in one data center, and two processes that use different ones
 * would not see each other's.
 */
export function dataCenterOf(found: readonly string[], wanted: string | undefined): string {
  const [only = '', ...others] = found;
  if (wanted === undefined && others.length === 0) return only;
  if (wanted !== undefined && found.includes(wanted)) return wanted;
  const names = [...found].sort().join(', ');
  throw new StoreError(
    'unsupported',
    wanted === undefined
      ? `The cluster has the data centers ${names}: the option dataCenter says which one keeps the store.`
      : `The cluster has no data center ${wanted}; it has ${names}.`,
  );
}

/** What currently breaks the promise, `name=value`. */
export async function unsafeIn(
  cluster: ClusterAccess,
  dataCenter: string,
  wanted: Wanted,
): Promise<readonly string[]> {
  const tooFew = await tooFewIn(cluster, dataCenter, wanted);
  return [...(await unsafeSettings(cluster, dataCenter)), ...tooFew];
}

/** Copies, or nodes for them. */
async function tooFewIn(
  cluster: ClusterAccess,
  dataCenter: string,
  wanted: Wanted,
): Promise<readonly string[]> {
  const replicas = await replicasOf(cluster.run, dataCenter, wanted.keyspace);
  return replicas < wanted.replicas ? [`replication=${replicas}`] : tooFewNodes(cluster, dataCenter, wanted);
}

/** Two copies are never on one node. */
function tooFewNodes(cluster: ClusterAccess, dataCenter: string, { replicas }: Wanted): readonly string[] {
  const nodes = cluster.countHosts(dataCenter);
  return nodes < replicas ? [`nodes=${nodes}`] : [];
}

export function sentenceOf(setting: string, { keyspace, replicas }: Wanted): string {
  const [name = '', value = ''] = setting.split('=');
  switch (name) {
    case 'replication':
      return `The keyspace ${keyspace} keeps ${value} copies of everything, and ${replicas} are asked for (replication).`;
    case 'nodes':
      return `The data center has ${value} node${value === '1' ? '' : 's'}, and ${replicas} copies of everything are asked for (replicas), each of which needs a node.`;
    default:
      return `A node of the cluster has ${name}: ${value}, which may lose or hide what was answered; it has to be ${SETTINGS[name]?.join(' or ')}.`;
  }
}

async function unsafeSettings({ runOnEach }: ClusterAccess, dataCenter: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const rows of (await runOnEach(dataCenter, READ_SETTINGS)).values())
    for (const { name, value } of rows)
      if (SETTINGS[name]?.includes(value) === false) found.add(`${name}=${value}`);
  return [...found];
}

/**
 * Several processes may do this at a time. A table that two nodes create at a time has two ids, and the cluster never
 * agrees again: all processes use one node.
 */
async function createTables(cluster: ClusterAccess, dataCenter: string, wanted: Wanted): Promise<void> {
  const { keyspace, replicas } = wanted;
  const define = cluster.onFirst(dataCenter);
  await define(
    `CREATE KEYSPACE IF NOT EXISTS "${keyspace}" WITH replication = {'class': 'NetworkTopologyStrategy', '${dataCenter}': ${replicas}}`,
  );
  for (const table of TABLES) await define(table.replace('EXISTS ', `EXISTS "${keyspace}".`));
  await agree(cluster, dataCenter);
  await cluster.run(PUT_VERSION(keyspace));
}

async function replicasOf(run: Run, dataCenter: string, keyspace: string): Promise<number> {
  const [found] = await run(READ_KEYSPACE, [keyspace]);
  if (found === undefined)
    throw new StoreError('unsupported', `There is no keyspace ${keyspace}; the option create makes it.`);
  return Number(found.replication[dataCenter] ?? found.replication.replication_factor ?? 0);
}

async function checkVersion(run: Run, keyspace: string): Promise<void> {
  const tables = await run('SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?', [keyspace]);
  if (!tables.some(({ table_name }) => table_name === 'format'))
    throw new StoreError(
      'unsupported',
      `The keyspace ${keyspace} has no store; the option create makes one.`,
    );
  const [found] = await run(READ_VERSION(keyspace));
  if (found?.version === SCHEMA_VERSION) return;
  throw new StoreError(
    'unsupported',
    `The keyspace ${keyspace} has version ${found?.version} of the tables; this program writes version ${SCHEMA_VERSION}.`,
  );
}
