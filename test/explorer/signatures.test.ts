// Signatures that the explorer makes are accepted by the official clients for what they allow, and for nothing else.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AzureSASCredential, TableClient } from '@azure/data-tables';
import { BlobClient } from '@azure/storage-blob';
import { QueueClient } from '@azure/storage-queue';
import { fieldsOf, type SasForm } from '../../packages/explorer/model/sas-words.js';
import { putBlobs, putOrders, putQueues } from './contents.js';
import { openStage, type Stage, signIn } from './stage.js';

const FORM: SasForm = {
  scope: 'table',
  resource: 'orders',
  permissions: 'r',
  services: 'bqt',
  types: 'co',
  start: '',
  expiry: '2100-01-01T00:00:00Z',
  fromPartition: '',
  fromRow: '',
  toPartition: '',
  toRow: '',
  addresses: '',
  httpsOnly: false,
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

  async function make(part: Partial<SasForm>): Promise<Readonly<Record<string, string>>> {
    const form = { ...FORM, ...part };
    const body = JSON.stringify({
      account: 'devstoreaccount1',
      scope: form.scope,
      resource: form.resource,
      fields: fieldsOf(form),
    });
    const response = await fetch(`${stage.explorer.url}/signatures`, { method: 'POST', headers, body });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return (JSON.parse(text) as { urls: Record<string, string> }).urls;
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
    const { table } = await make({ fromPartition: from, toPartition: to });
    assert.deepEqual(await keysBy(table), ['customer-0002', 'customer-0002']);
    const { table: adding } = await make({ permissions: 'a' });
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
    const urls = await make({ scope: 'account', resource: '', permissions: 'rl' });
    assert.deepEqual(Object.keys(urls), ['table', 'queue', 'blob']);
    assert.equal((await keysBy(urls.table?.replace('?', '/orders?'))).length, 6);
  });

  test('fields that no service has are refused with a sentence', async () => {
    const refused = async (fields: object): Promise<string> => {
      const body = JSON.stringify({
        account: 'devstoreaccount1',
        scope: 'table',
        resource: 'orders',
        fields,
      });
      const response = await fetch(`${stage.explorer.url}/signatures`, { method: 'POST', headers, body });
      assert.equal(response.status, 400);
      return ((await response.json()) as { message: string }).message;
    };
    assert.match(await refused({ sp: 'r', se: 'tomorrow' }), /se is not well formed/);
    assert.match(await refused({ sp: 'xyz', se: FORM.expiry }), /sp is not well formed/);
    assert.match(await refused({ sp: 'r', se: FORM.expiry, sig: 'x' }), /no field sig/);
    assert.match(await refused({ sp: 'r' }), /rights and an expiry/);
  });
});
