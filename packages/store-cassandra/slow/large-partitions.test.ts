// A partition's size in the cluster is that of its rows, whatever two processes wrote, replaced, deleted, refused or
// swept up without reading; and a partition past the bounds is reported.
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
const LARGE = { rows: 10, bytes: 1000 };

const put = (key: string, bytes = 5) => ({ key, value: Buffer.alloc(bytes) });

function numbersOf(store: CassandraStore): readonly number[] {
  return store
    .statistics()
    .flatMap(one => (one.kind === 'gauge' && /_large/.test(one.name) ? [one.value] : []));
}

describe('cassandra', { skip: host === undefined && 'SHELFMARK_CASSANDRA names no host' }, () => {
  test('the size of a partition, and those that are large', async t => {
    const place = `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;
    const { keyspace } = parsePlace(place);
    const open = () =>
      openCassandraStore(
        parsePlace(place),
        { clock: systemClock, leaseMs: 20, large: LARGE },
        cassandraTools(place),
      );
    const [one, other] = [await open(), await open()];
    const warn = t.mock.method(process, 'emitWarning', () => undefined);
    try {
      const address = { account: 'a', service: 'table', name: 'people' };
      const space = (await one.createSpace(address, Buffer.alloc(0))) ?? assert.fail();
      const commit = (
        store: CassandraStore,
        keys: readonly string[],
        change: { readonly puts?: readonly ReturnType<typeof put>[]; readonly deletes?: readonly string[] },
      ) => store.commit(space, 'p', { keys }, () => ({ result: true, ...change }));
      const size = () =>
        onCluster(parsePlace(place), async ({ run }) => {
          const rows = await run(`SELECT sid, row_count, row_bytes FROM "${keyspace}".row`);
          const own = rows.find(row => Number(row.sid) === space.id);
          return [Number(own?.row_count), Number(own?.row_bytes)];
        });
      await commit(one, ['a'], { puts: [put('a')] });
      await commit(other, [], { puts: [put('a', 9), put('b')] });
      assert.deepEqual(await size(), [2, 2 * 2 + 9 + 5]);
      await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          commit(at % 2 === 0 ? one : other, [], { puts: [put(`k${at}`)] }),
        ),
      );
      await commit(one, [], { deletes: ['none', 'b'] });
      await commit(one, ['c'], { puts: [put('c')] });
      assert.deepEqual(await size(), [10, 2 + 9 + 8 * 9 + 7]);
      assert.deepEqual(numbersOf(one), [0, 0, 0]);
      await commit(one, ['d'], { puts: [put('d')] });
      assert.deepEqual(numbersOf(one), [1, 11, 97]);
      assert.match(
        String(warn.mock.calls[0]?.arguments[0]),
        /^The partition "p" of the table a\/people has 11 rows/,
      );
      const range = { from: 'k', until: 'l', rows: 100 };
      await one.commit(space, 'p', { keys: [], range }, rows => ({
        result: true,
        deletes: rows.range.map(({ key }) => key),
      }));
      assert.deepEqual(await size(), [3, 2 + 9 + 7 + 7]);
      assert.deepEqual(numbersOf(one), [0, 0, 0]);
    } finally {
      await one.close();
      await other.close();
      await dropKeyspace(place);
    }
  });
});
