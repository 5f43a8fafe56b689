// The laws of every store, on a cluster started by `npm run cassandra -- start`; skipped where there is none.
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Clock } from '#base';
import { conformance, contentConformance } from '#store/conformance';
import { cassandraTools } from '../cassandra-engine.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { dropKeyspace } from '../testing/drop-keyspace.js';

const host = process.env.SHELFMARK_CASSANDRA;
const HISTORIES = 20;
const LEASE_MS = 20;

describe('cassandra', {
  skip: host === undefined && 'SHELFMARK_CASSANDRA names no host',
  concurrency: 4,
}, () => {
  const options = {
    name: 'cassandra',
    test,
    histories: HISTORIES,
    open: async ({ clock }: { readonly clock: Clock }) => {
      const place = `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;
      const openStore = () =>
        openCassandraStore(parsePlace(place), { clock, leaseMs: LEASE_MS }, cassandraTools(place));
      let store = await openStore();
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openStore();
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
