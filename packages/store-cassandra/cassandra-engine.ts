// `cassandra://HOST,…/KEYSPACE`: registers the engine under its address scheme. The driver is loaded only then.
import type { EngineKind, EngineTools } from '#store';
import { parsePlace } from './place.js';

export function cassandraTools(place: string): EngineTools {
  const { hosts, keyspace } = parsePlace(place);
  return { place: `keyspace ${keyspace} at ${hosts.join(', ')}`, hasPeers: true };
}

export const cassandraEngine: EngineKind = {
  scheme: 'cassandra',
  placeName: '//HOST,…/KEYSPACE',
  open: async (place, { clock }) => {
    const { openCassandraStore } = await import('./open.js');
    return openCassandraStore(parsePlace(place), { clock }, cassandraTools(place));
  },
  tools: cassandraTools,
};
