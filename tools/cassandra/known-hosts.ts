// How many nodes of a cluster one of them knows. Nodes learn of each other one after another, even after they accept requests.
import cassandra from 'cassandra-driver';

/** The default data center of a cluster's nodes. */
const DATA_CENTER = 'datacenter1';

/** Including itself. Fails if it accepts no requests. */
export async function knownHosts(host: string): Promise<number> {
  const client = new cassandra.Client({ contactPoints: [host], localDataCenter: DATA_CENTER });
  try {
    await client.connect();
    return client.hosts.length;
  } finally {
    await client.shutdown();
  }
}
