// A test's own cluster, for settings that the shared one must not have. Its addresses follow the shared one's, so that
// checkouts with different clusters never meet.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, onLoopback } from '../../../tools/cassandra/cluster.js';

/** The maximum number of nodes of the shared cluster. */
const BESIDE = 3;

/** The last number of the address of a cluster's first node. `place`, from 1 on, separates concurrent clusters. */
export const addressOf = (place: number): number =>
  Number(process.env.SHELFMARK_CASSANDRA?.split('.').at(-1) ?? 1) + BESIDE - 1 + place;

export function ownCluster(place: number): Cluster {
  return new Cluster(
    join(mkdtempSync(join(tmpdir(), 'shelfmark-cassandra-')), 'nodes'),
    onLoopback(addressOf(place) - 1),
  );
}
