// Signatures that the explorer makes are accepted by the official clients for what they allow, and for nothing else.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AzureSASCredential, TableClient } from '@azure/data-tables';
import { BlobClient } from '@azure/storage-blob';
import { QueueClient } from '@azure/storage-queue';
import { fieldsOf, type SasForm } from '../../packages/explorer/model/sas-form.js';
import { putBlobs, putOrders, putQueues } from './contents.js';
import { openStage, type Stage, signIn } from './stage.js';

const FORM: SasForm = {
  ...{ scope: 'table', resource: 'orders', sp: 'r', ss: 'bqt', srt: 'co' },
  ...{ st: '', se: '2100-01-01T00:00:00Z', sip: '', spr: '', spk: '', srk: '', epk: '', erk: '' },
};

describe('signatures', () => {
  let stage: Stage;
  let headers: Readonly<Record<string, string>>;
  before(async () => {
    stage = await openStage();
    await putOrders(stage.server, 3, 2);
    await putQueues(stage.server);
    await putBlobs(stage.server);
    headers = { origin: stage.explorer.url, ...(await signIn(stage.links[0])) };
  });
  after(() => stage.close());

  const sign = async (fields: object, scope = 'table', resource = 'orders'): Promise<Response> => {
    const body = JSON.stringify({ account: 'devstoreaccount1', scope, resource, fields });
    return fetch(`${stage.explorer.url}/signatures`, { method: 'POST', headers, body });
  };
  async function make(part: Partial<SasForm>): Promise<Readonly<Record<string, string>>> {
    const form = { ...FORM, ...part };
    const response = await sign(fieldsOf(form), form.scope, form.resource);
    assert.equal(response.status, 200);
    return ((await response.json()) as { urls: Record<string, string> }).urls;
  }

  async function keysBy(url = ''): Promise<readonly string[]> {
    const [endpoint = '', sas = ''] = url.split('?');
    const client = new TableClient(endpoint.replace(/\/orders$/, ''), 'orders', new AzureSASCredential(sas), {
      allowInsecureConnection: true,
    });
    const keys: string[] = [];
    for await (const { partitionKey } of client.listEntities()) keys.push(partitionKey ?? '');
    return keys;
  }

  test('of a table, whole or by its keys', async () => {
    assert.equal((await keysBy((await make({})).table)).length, 6);
    const [from, to] = ['customer-0002', 'customer-0002'];
    const { table } = await make({ spk: from, epk: to });
    assert.deepEqual(await keysBy(table), ['customer-0002', 'customer-0002']);
    const { table: adding } = await make({ sp: 'a' });
    await assert.rejects(keysBy(adding), { statusCode: 403 });
  });

  test('of a queue, a container, a blob', async () => {
    const { queue = '' } = await make({ scope: 'queue', resource: 'invoices' });
    const { peekedMessageItems } = await new QueueClient(queue).peekMessages();
    assert.equal(peekedMessageItems.length, 1);
    const { blob = '' } = await make({ scope: 'blob', resource: 'exports/2026/01/orders.json' });
    assert.equal((await new BlobClient(blob).getProperties()).contentType, 'application/json');
    const { blob: container = '' } = await make({ scope: 'container', resource: 'exports' });
    const [path = '', sas] = container.split('?');
    assert.equal(
      (await new BlobClient(`${path}/readme.txt?${sas}`).getProperties()).contentType,
      'text/plain',
    );
    await assert.rejects(new BlobClient(`${path}/readme.txt?${sas}`).delete(), { statusCode: 403 });
  });

  test('of the account, for each of its services', async () => {
    const urls = await make({ scope: 'account', resource: '', sp: 'rl' });
    assert.deepEqual(Object.keys(urls), ['table', 'queue', 'blob']);
    assert.equal((await keysBy(urls.table?.replace('?', '/orders?'))).length, 6);
  });

  test('fields that no service has are refused with a sentence', async () => {
    const { se } = FORM;
    for (const [fields, sentence] of [
      [{ sp: 'r', se: 'tomorrow' }, /se is not well formed/],
      [{ sp: 'xyz', se }, /sp is not well formed/],
      [{ sp: 'r', se, sig: 'x' }, /no field sig/],
      [{ sp: 'r' }, /rights and an expiry/],
    ] as const) {
      const response = await sign(fields);
      assert.equal(response.status, 400);
      assert.match(((await response.json()) as { message: string }).message, sentence);
    }
  });
});
