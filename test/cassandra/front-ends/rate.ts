// node dist/test/cassandra/front-ends/rate.js: commits a second into one partition by 32 clients at one, two and three
// front ends, with and without forwarding of requests. The cluster is that of SHELFMARK_CASSANDRA.
import { randomBytes } from 'node:crypto';
import { dropKeyspace } from '../../../packages/store-cassandra/testing/drop-keyspace.js';
import { type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { Connection } from '../../support/worker-processes.js';

const CLIENTS = 32;
const RUNS = Number(process.env.RATE_RUNS ?? 3);
const SECONDS = Number(process.env.RATE_SECONDS ?? 6);
/** Until owners are found and processes are warm. */
const WARM_SECONDS = 3;
const ACCOUNT = '/devstoreaccount1';
const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT = 'x'.repeat(100);

const ask = (connection: Connection, path: string, body: object) =>
  connection.request({
    method: 'POST',
    target: `${ACCOUNT}/${path}`,
    headers: { ...JSON_TYPE, prefer: 'return-no-content' },
    body: JSON.stringify(body),
  });

async function rate(place: string, count: number, handsOver: boolean): Promise<number> {
  const args = ['serve', '--store', `cassandra:${place}`, '--table-port', '0'];
  const servers: SpawnedServer[] = [];
  for (let at = 0; at < count; at++)
    servers.push(await spawnServer([...args, ...(handsOver ? [] : ['--peer-port', 'none'])]));
  const table = `t${randomBytes(4).toString('hex')}`;
  const connections = Array.from(
    { length: CLIENTS },
    (_, at) => new Connection(servers[at % count]?.port ?? 0),
  );
  const [first] = connections;
  if (first !== undefined) await ask(first, 'Tables', { TableName: table });
  const counted = performance.now() + WARM_SECONDS * 1000;
  const until = counted + SECONDS * 1000;
  let done = 0;
  const client = async (connection: Connection, number: number): Promise<void> => {
    for (let at = 0; performance.now() < until; at++) {
      const row = { PartitionKey: 'p', RowKey: `${number}-${at}`, text: TEXT };
      const { status, body } = await ask(connection, table, row);
      if (status !== 204) throw new Error(`${status} ${body}`);
      const now = performance.now();
      if (now >= counted && now < until) done += 1;
    }
  };
  try {
    await Promise.all(connections.map(client));
  } finally {
    for (const connection of connections) connection.close();
    await Promise.all(servers.map(server => server.stop('SIGTERM')));
  }
  return Math.round(done / SECONDS);
}

const place = `//${process.env.SHELFMARK_CASSANDRA}/rate_${randomBytes(4).toString('hex')}?create&replicas=1`;
for (const [count, handsOver] of [
  [1, true],
  [2, false],
  [2, true],
  [3, false],
  [3, true],
] as const) {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) rates.push(await rate(place, count, handsOver));
  rates.sort((a, b) => a - b);
  const what = count === 1 ? '' : handsOver ? ', handed over' : ', each by itself';
  process.stdout.write(
    `${count} front ends${what}: median ${rates[RUNS >> 1]} commits a second of ${rates.join(', ')}\n`,
  );
}
await dropKeyspace(place);
