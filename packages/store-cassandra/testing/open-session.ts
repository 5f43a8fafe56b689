// A session of a test's own keyspace, in which the tables of a store are there and no store is open.
import { systemClock } from '#base';
import { cassandraTools } from '../cassandra-engine.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster, Session } from '../session/session.js';

/** `text` is a store's place with `create`. Whoever opens it closes it. */
export async function openSession(text: string): Promise<Session> {
  const place = parsePlace(text);
  await (await openCassandraStore(place, { clock: systemClock }, cassandraTools(text))).close();
  const [local] = await onCluster(place, ({ run }) => run('SELECT data_center FROM system.local'));
  return Session.open(place, local?.data_center);
}
