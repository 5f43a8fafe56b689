// Partitions are counted where requests of the official client go: by key, by body, by filter, by transaction.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { serve } from '#server';
import { ENGINES, PartitionCounters, servicesCounting } from '#server/parts';
import { tableClient } from './contents.js';

const REQUESTS = 20;

test('each kind of request counts for its partition', async () => {
  const counters = new PartitionCounters();
  const server = await serve({ data: undefined }, ENGINES, servicesCounting(counters));
  const client = tableClient(server, 'Things');
  await client.createTable();
  const of = (partition: string) => {
    const heat = counters.heatOf('devstoreaccount1', 'things', systemClock());
    const found = heat.find(each => each.partition === partition);
    const sum = (counts: readonly number[] = []): number => counts.reduce((total, count) => total + count, 0);
    return [sum(found?.requests), sum(found?.rows), sum(found?.bytes) > 0];
  };
  const many = async (request: (at: number) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < REQUESTS; at++) await request(at);
  };
  await many(at => client.createEntity({ partitionKey: "it's é", rowKey: `${at}` }));
  assert.deepEqual(of("it's é"), [REQUESTS, REQUESTS, true]);
  await many(at => client.upsertEntity({ partitionKey: "put it's é", rowKey: `${at}` }));
  assert.deepEqual(of("put it's é"), [REQUESTS, REQUESTS, true]);
  await many(() => client.getEntity("it's é", '1'));
  assert.deepEqual(of("it's é"), [2 * REQUESTS, REQUESTS, true]);
  const filter = "PartitionKey eq 'asked it''s é' and n gt 5";
  await many(() => client.listEntities({ queryOptions: { filter } }).next());
  assert.deepEqual(of("asked it's é"), [REQUESTS, 0, false]);
  await many(at =>
    client.submitTransaction(
      [1, 2, 3].map(row => ['upsert', { partitionKey: "together it's é", rowKey: `${at} ${row}` }, 'Merge']),
    ),
  );
  assert.deepEqual(of("together it's é"), [REQUESTS, 3 * REQUESTS, true]);
  assert.deepEqual(counters.heatOf('other', 'things', systemClock()), []);
  await server.close();
});
