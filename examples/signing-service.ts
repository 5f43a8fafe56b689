// Signatures: a small service that has the account's key, and gives each employee a token for that employee's own
// reviews. The tokens name a policy, by which all of them can be revoked.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import { codec, entity, key, open, t } from '#patterns';
import { putPolicy, removePolicy, tableSas } from '#patterns/sas';
import type { Example } from './example.js';

const Review = entity('Review', {
  version: 1,
  table: 'Reviews',
  props: { department: t.string(), id: t.int32(), year: t.int32(), score: t.int32() },
  partition: p => key(p.department),
  row: p => key('rev', p.id.as(codec.int(6)), p.year.as(codec.int(4))),
});

const DEPARTMENT = { department: 'Sales' };
const POLICY = 'employees';

const settingsOf = (connectionString: string): ReadonlyMap<string, string> =>
  new Map(
    connectionString
      .split(';')
      .map(each => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  );

/** `GET /?employee=7`: a token for the reviews of that employee. A sign-in, which is left out here, would identify the caller. */
async function startSigning(sign: (id: number) => string) {
  const server = createServer((request, response) => {
    const id = Number(
      new URL(request.url ?? '/', 'http://localhost').searchParams.get('employee') ?? Number.NaN,
    );
    const isKnown = Number.isInteger(id) && id >= 0 && id < 1_000_000;
    response.writeHead(isKnown ? 200 : 400, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(isKnown ? sign(id) : 'employee=NUMBER is missing');
  });
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  assert(typeof address === 'object' && address);
  return { server, url: `http://127.0.0.1:${address.port}/` };
}

export const signingService: Example = {
  title: 'Signatures: a service that gives employees tokens for their own reviews',
  async run(client, say, connectionString) {
    const settings = settingsOf(connectionString);
    const credential = new AzureNamedKeyCredential(
      settings.get('AccountName') ?? '',
      settings.get('AccountKey') ?? '',
    );
    await client.createTable(Review.table);
    const reviews = open({ tables: client }).repo(Review);
    for (const id of [6, 7, 8])
      for (const year of [2025, 2026]) await reviews.create({ ...DEPARTMENT, id, year, score: id });

    const table = TableClient.fromConnectionString(connectionString, Review.table, {
      allowInsecureConnection: true,
    });
    await putPolicy(table, POLICY, { permissions: 'r', expiresOn: new Date(Date.now() + 3_600_000) });
    const { server, url } = await startSigning(id =>
      tableSas(credential, reviews.partition(DEPARTMENT).rows({ id }), {
        policy: POLICY,
        protocol: 'https,http',
      }),
    );
    try {
      const answer = await fetch(`${url}?employee=7`);
      const token = new AzureSASCredential(await answer.text());
      const tables = new TableServiceClient(settings.get('TableEndpoint') ?? '', token, {
        allowInsecureConnection: true,
      });
      const own = open({ tables }).repo(Review);
      const seen = await own.partition(DEPARTMENT).take(10);
      say(
        `The token of employee 7 shows ${seen.map(({ value }) => `${value.id} in ${value.year}`).join(', ')}`,
      );
      assert.deepEqual(
        seen.map(({ value }) => [value.id, value.year]),
        [
          [7, 2025],
          [7, 2026],
        ],
      );
      await assert.rejects(own.upsert({ ...DEPARTMENT, id: 7, year: 2026, score: 9 }), {
        code: 'ServiceRefused',
      });
      say('It writes nothing');
      assert.equal((await fetch(url)).status, 400);

      await removePolicy(table, POLICY);
      await assert.rejects(own.partition(DEPARTMENT).take(10), { code: 'ServiceRefused' });
      say('Without the policy it shows nothing');
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
  },
};
