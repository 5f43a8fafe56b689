// Opens a store on a cluster. Separate from the engine, so that the driver is loaded only where it is needed.
import type { EngineTools } from '#store';
import { CassandraStore, type CassandraStoreOptions } from './cassandra-store.js';
import type { Place } from './place.js';
import { Retry } from './retry.js';
import { readAccess } from './session/access.js';
import { prepare } from './session/prepare.js';
import { onCluster, Session } from './session/session.js';
import { Settings } from './session/settings.js';

/**
 * Waits for nodes that are starting. Fails with `busy` if there is no quorum in time, with `unsupported` if tables or
 * settings are not as required.
 */
export async function openCassandraStore(
  place: Place,
  options: CassandraStoreOptions,
  tools: EngineTools,
): Promise<CassandraStore> {
  const reached = { ...place, access: readAccess(place.tls) };
  const retry = new Retry(place.wait);
  const prepared = await retry.run(() => onCluster(reached, cluster => prepare(cluster, place)));
  const { dataCenter, unsafe } = prepared;
  const session = await retry.run(() => Session.open(reached, dataCenter));
  const settings = new Settings(session, place, prepared);
  const said = unsafe.length === 0 ? tools.place : `${tools.place}, UNSAFE: ${unsafe.join(', ')}`;
  const store = new CassandraStore(session, { ...tools, place: said }, { ...options, settings });
  try {
    await retry.run(() => store.begin());
  } catch (error) {
    await settings.close();
    await session.close();
    throw error;
  }
  return store;
}
