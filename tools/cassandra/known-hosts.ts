// How many nodes of a cluster one of them knows. Nodes hear of each other one after another, also after they take requests.
import cassandra from 'cassandra-driver';

/** Where nothing else is said the nodes of a cluster are in it. */
const DATA_CENTER = 'datacenter1';

/** Itself with them. Fails where it takes no requests. */
export async function knownHosts(host: string): Promise<number> {
  const client = new cassandra.Client({ contactPoints: [host], localDataCenter: DATA_CENTER });
  try {
    await client.connect();
    return client.hosts.length;
  } finally {
    await client.shutdown();
  }
}
