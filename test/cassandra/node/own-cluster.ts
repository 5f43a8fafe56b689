// A cluster of a test's own, for settings that the shared one must not have. Its addresses are counted from that one's, so that checkouts whose
// clusters differ never meet.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, onLoopback } from '../../../tools/cassandra/cluster.js';

/** The most nodes that the shared cluster has. */
const BESIDE = 3;

/** The last number of the address of a cluster's first node. `place` keeps clusters from each other that run at one time: from 1 on. */
export const addressOf = (place: number): number =>
  Number(process.env.SHELFMARK_CASSANDRA?.split('.').at(-1) ?? 1) + BESIDE - 1 + place;

export function ownCluster(place: number): Cluster {
  return new Cluster(
    join(mkdtempSync(join(tmpdir(), 'shelfmark-cassandra-')), 'nodes'),
    onLoopback(addressOf(place) - 1),
  );
}
