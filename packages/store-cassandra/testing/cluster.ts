// The cluster that SHELFMARK_CASSANDRA names, for tests that are skipped where it names none, and stores on it.
import { randomBytes } from 'node:crypto';
import { systemClock } from '#base';
import { cassandraTools } from '../cassandra-engine.js';
import type { CassandraStore, CassandraStoreOptions } from '../cassandra-store.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster, Session } from '../session/session.js';

export const host = process.env.SHELFMARK_CASSANDRA ?? '';
export const skip = host === '' && 'SHELFMARK_CASSANDRA names no host';
/** So that drops hardly wait. */
const LEASE_MS = 20;

/**
 * An empty store's. Each test has its own: emptying tables is not enough, because what conditional writes decided last
 * is remembered elsewhere and comes back.
 */
export const newPlace = (): string => `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;

export const dropKeyspace = (place: string): Promise<void> =>
  onCluster(parsePlace(place), async ({ run }) => {
    await run(`DROP KEYSPACE IF EXISTS "${parsePlace(place).keyspace}"`);
  });

export const openStore = (
  place: string,
  options: Partial<CassandraStoreOptions> = {},
): Promise<CassandraStore> =>
  openCassandraStore(
    parsePlace(place),
    { clock: systemClock, leaseMs: LEASE_MS, ...options },
    cassandraTools(place),
  );

/** A session of a keyspace in which a store's tables exist and no store is open. `port` may be a proxy's. */
export async function openSession(text: string, port?: number): Promise<Session> {
  const place = parsePlace(text);
  await (await openStore(text)).close();
  const [local] = await onCluster(place, ({ run }) => run('SELECT data_center FROM system.local'));
  return Session.open({ ...place, port: port ?? place.port }, local?.data_center);
}
