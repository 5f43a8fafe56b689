// Whether each node takes all of them for alive, as `nodetool status` shows on each: the condition before the next node
// of a rolling restart may end.
import cassandra from 'cassandra-driver';

const DATA_CENTER = 'datacenter1';
const { consistencies } = cassandra.types;
const { loadBalancing } = cassandra.policies;

/** `keyspace` has a store with a copy on every host. */
export async function areAllAlive(hosts: readonly string[], keyspace: string): Promise<boolean> {
  const alive = hosts.map(host => seesAll(host, keyspace).catch(() => false));
  return (await Promise.all(alive)).every(is => is);
}

/** A coordinator refuses a read of all copies at once if it takes one for dead. */
async function seesAll(host: string, keyspace: string): Promise<boolean> {
  const local = new loadBalancing.DCAwareRoundRobinPolicy(DATA_CENTER);
  const client = new cassandra.Client({
    contactPoints: [host],
    localDataCenter: DATA_CENTER,
    policies: { loadBalancing: new loadBalancing.AllowListPolicy(local, [`${host}:9042`]) },
  });
  try {
    await client.execute(`SELECT version FROM "${keyspace}".format WHERE name = 'store'`, [], {
      consistency: consistencies.all,
    });
    return true;
  } finally {
    await client.shutdown();
  }
}
