// The laws of every store, on a cluster started by `npm run cassandra -- start`; skipped where there is none.
import { describe, test } from 'node:test';
import type { Clock } from '#base';
import { conformance, contentConformance } from '#store/conformance';
import { dropKeyspace, newPlace, openStore, skip } from '../testing/cluster.js';

const HISTORIES = 20;

describe('cassandra', { skip, concurrency: 4 }, () => {
  const options = {
    name: 'cassandra',
    test,
    histories: HISTORIES,
    open: async ({ clock }: { readonly clock: Clock }) => {
      const place = newPlace();
      let store = await openStore(place, { clock });
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openStore(place, { clock });
          return store;
        },
        close: async () => {
          await store.close();
          await dropKeyspace(place);
        },
      };
    },
  };
  conformance(options);
  contentConformance(options);
});
