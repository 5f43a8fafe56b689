// An older version's tables on a cluster: refused as they are, upgraded by the option create, with all their content.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { systemClock } from '#base';
import { cassandraTools } from '../cassandra-engine.js';
import type { CassandraStore } from '../cassandra-store.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster } from '../session/session.js';
import { dropKeyspace } from '../testing/drop-keyspace.js';

const host = process.env.SHELFMARK_CASSANDRA;
const OPTIONS = { clock: systemClock, leaseMs: 20 };
const KEPT = { account: 'a', service: 'table', name: 'kept' };

const open = (place: string): Promise<CassandraStore> =>
  openCassandraStore(parsePlace(place), OPTIONS, cassandraTools(place));

describe('cassandra', { skip: host === undefined && 'SHELFMARK_CASSANDRA names no host' }, () => {
  test('tables of version 1 are refused, and upgraded by create', async () => {
    const old = `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;
    const { keyspace } = parsePlace(old);
    const first = await open(old);
    try {
      const space = (await first.createSpace(KEPT, Buffer.alloc(0))) ?? assert.fail();
      await first.commit(space, 'p', { keys: [] }, () => ({
        result: true,
        puts: [{ key: 'k', value: Buffer.from('v') }],
      }));
      await first.close();
      await onCluster(parsePlace(old), async ({ run }) => {
        await run(`ALTER TABLE "${keyspace}".member DROP url`);
        await run(`ALTER TABLE "${keyspace}".member DROP lease`);
        for (const column of ['gaps', 'row_count', 'row_bytes'])
          await run(`ALTER TABLE "${keyspace}".row DROP ${column}`);
        await run(`UPDATE "${keyspace}".format SET version = 1 WHERE name = 'store'`);
      });
      await assert.rejects(
        open(old.replace('create&', '')),
        /has version 1 of the tables; this program writes version 4\. The option create makes it that\.$/,
      );
      for (const text of [old, old.replace('create&', '')]) {
        const store = await open(text);
        const found = await store.getSpace(KEPT);
        const [row] = await store.read(found ?? assert.fail(), 'p', ['k']);
        assert.equal(row?.value.toString(), 'v');
        await store.peers.join('http://here');
        await store.close();
      }
      await onCluster(parsePlace(old), ({ run }) =>
        run(`UPDATE "${keyspace}".format SET version = 5 WHERE name = 'store'`),
      );
      await assert.rejects(open(old), /has version 5 of the tables; this program writes version 4\.$/);
    } finally {
      await dropKeyspace(old);
    }
  });
});
