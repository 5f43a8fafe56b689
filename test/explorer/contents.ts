// Data for the explorer's scenarios and screenshots: a shop's orders, a table of every type, queues and blobs.
import { TableClient, type TableEntity } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Target } from './stage.js';

const INSECURE = { allowInsecureConnection: true };
export const tableClient = (server: Target, name: string): TableClient =>
  TableClient.fromConnectionString(server.connectionString(), name, INSECURE);

const CITIES = ['Lisbon', 'Oslo', 'Turin', 'Gdańsk', 'Ghent', 'Cork'];
const STATES = ['paid', 'open', 'shipped', 'returned'];
const BATCH = 100;
const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

type Entity = TableEntity<Record<string, unknown>>;

const orderOf = (customer: number, number: number): Entity => ({
  partitionKey: `customer-${pad(customer, 4)}`,
  rowKey: `order-${pad(number, 6)}`,
  city: CITIES[(customer + number) % CITIES.length],
  state: STATES[(customer * 7 + number) % STATES.length],
  total: { type: 'Double', value: String(((customer * 37 + number * 11) % 9000) / 10 + 5) },
  items: 1 + ((customer + number) % 7),
  placed: new Date(Date.UTC(2026, number % 12, 1 + (customer % 28), number % 24)),
  isGift: (customer + number) % 5 === 0,
  ...(number % 4 === 0 && { note: number % 8 === 0 ? '' : 'Leave it with the neighbours, please.' }),
});

/** So many orders of each of so many customers. */
export async function putOrders(server: Target, customers: number, orders: number): Promise<void> {
  const client = tableClient(server, 'orders');
  await client.createTable();
  for (let customer = 1; customer <= customers; customer++)
    for (let first = 1; first <= orders; first += BATCH) {
      const count = Math.min(BATCH, orders - first + 1);
      await client.submitTransaction(
        Array.from({ length: count }, (_, at) => ['create', orderOf(customer, first + at)]),
      );
    }
}

/** One entity with the extreme values of every type, one with other types of the same names. */
export async function putEveryType(server: Target): Promise<void> {
  const client = tableClient(server, 'everyType');
  await client.createTable();
  await client.createEntity({
    partitionKey: 'p',
    rowKey: 'extremes',
    aBinary: { type: 'Binary', value: 'AAEC/w==' },
    aBoolean: true,
    aDateTime: { type: 'DateTime', value: '2026-01-31T12:00:00.1234567Z' },
    aDouble: { type: 'Double', value: 'NaN' },
    aGuid: { type: 'Guid', value: '01234567-89ab-cdef-0123-456789abcdef' },
    anInt32: -2147483648,
    anInt64: { type: 'Int64', value: '9223372036854775807' },
    aString: 'Grüße, 世界',
    anEmpty: '',
  });
  await client.createEntity({
    partitionKey: 'p',
    rowKey: 'mixed',
    aDouble: 'was a text',
    anInt64: 7,
    anInt32: true,
  });
}

/** Sixty columns, a key of 512 characters in each part, and a value of 64 KiB. */
export async function putWide(server: Target): Promise<void> {
  const client = tableClient(server, 'wide');
  await client.createTable();
  for (let row = 0; row < 40; row++) {
    const columns = Array.from({ length: 60 }, (_, at) => [`column${pad(at, 2)}`, row * at] as const);
    await client.createEntity({ partitionKey: 'wide', rowKey: pad(row, 4), ...Object.fromEntries(columns) });
  }
  const long = `${'k'.repeat(502)}${pad(0, 10)}`;
  await client.createEntity({
    partitionKey: long,
    rowKey: long,
    column00: 1,
    text: 'Lorem ipsum '.repeat(2730),
  });
}

export async function putQueues(server: Target): Promise<void> {
  const queues = QueueServiceClient.fromConnectionString(server.connectionString());
  for (const name of ['invoices', 'invoices-poison', 'thumbnails']) await queues.createQueue(name);
  const invoice = (id: number): string =>
    Buffer.from(
      JSON.stringify({ id, customer: `customer-${pad(id, 4)}`, lines: [{ sku: 'A-1', count: id }] }),
    ).toString('base64');
  for (const id of [17, 18, 19]) await queues.getQueueClient('invoices-poison').sendMessage(invoice(id));
  await queues.getQueueClient('invoices').sendMessage(invoice(20));
  await queues.getQueueClient('invoices').sendMessage('a plain text, with <angle> brackets & others');
}

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30" /></svg>';

export async function putBlobs(server: Target): Promise<void> {
  const blobs = BlobServiceClient.fromConnectionString(server.connectionString());
  const container = blobs.getContainerClient('exports');
  await container.create();
  const put = (name: string, body: string | Buffer, blobContentType: string) =>
    container.getBlockBlobClient(name).uploadData(Buffer.from(body), {
      blobHTTPHeaders: { blobContentType },
      metadata: { origin: 'nightly', run: '42' },
    });
  const day = (month: number): string => `2026/${pad(month, 2)}/orders.json`;
  for (const month of [1, 2, 3])
    await put(day(month), JSON.stringify({ month, orders: [1, 2, 3] }), 'application/json');
  await put('readme.txt', 'Nightly exports.\nOne folder for each month.\n', 'text/plain');
  await put('cover.svg', PICTURE, 'image/svg+xml');
  const parquet = parquetWriteBuffer({
    columnData: [
      { name: 'customer', data: ['a', 'b'], type: 'STRING' },
      { name: 'total', data: [1.5, 2.5], type: 'DOUBLE' },
    ],
  });
  await put('orders.parquet', Buffer.from(parquet), 'application/octet-stream');
  await put('archive.bin', Buffer.alloc(3_000_000, 7), 'application/octet-stream');
  await container.getBlobClient('readme.txt').createSnapshot();
  await blobs.getContainerClient('pictures').create();
}
