// Removes a keyspace. Each test has its own: emptying tables is not enough, because what conditional writes decided
// last is remembered elsewhere and comes back.
import { parsePlace } from '../place.js';
import { onCluster } from '../session/session.js';

export const dropKeyspace = (place: string): Promise<void> =>
  onCluster(parsePlace(place), async ({ run }) => {
    await run(`DROP KEYSPACE IF EXISTS "${parsePlace(place).keyspace}"`);
  });
