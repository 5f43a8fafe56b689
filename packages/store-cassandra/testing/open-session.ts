// A session of a test's own keyspace, in which a store's tables exist and no store is open.
import { systemClock } from '#base';
import { cassandraTools } from '../cassandra-engine.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster, Session } from '../session/session.js';

/** `text` is a store's place with `create`. The caller closes it. */
export async function openSession(text: string): Promise<Session> {
  const place = parsePlace(text);
  await (await openCassandraStore(place, { clock: systemClock }, cassandraTools(text))).close();
  const [local] = await onCluster(place, ({ run }) => run('SELECT data_center FROM system.local'));
  return Session.open(place, local?.data_center);
}
