// Removes a keyspace. Tests have one each: to empty tables is not enough, because what was last decided by conditional writes is remembered elsewhere and comes back.
import { parsePlace } from '../place.js';
import { onCluster } from '../session/session.js';

export const dropKeyspace = (place: string): Promise<void> =>
  onCluster(parsePlace(place), async ({ run }) => {
    await run(`DROP KEYSPACE IF EXISTS "${parsePlace(place).keyspace}"`);
  });
