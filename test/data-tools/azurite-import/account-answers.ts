// What an account answers, all of it, in a form that can be kept in a file and compared: rows by the data tools, queues and blobs by the official clients.
import { createHash } from 'node:crypto';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { formatContent } from '../../../packages/data-tools/index.js';
import { CLIENT_OPTIONS, collect } from '../../support/clients.js';
import { rowsOf } from '../tool-run.js';

type Policies = readonly unknown[];

export interface AccountAnswers {
  readonly tables: readonly {
    readonly name: string;
    readonly rows: readonly string[];
    readonly policies: Policies;
  }[];
  readonly queues: readonly {
    readonly name: string;
    readonly metadata: unknown;
    readonly policies: Policies;
    /** Those that are visible; how many there are with the hidden ones. */
    readonly messages: readonly string[];
    readonly count: number;
  }[];
  readonly containers: readonly {
    readonly name: string;
    readonly metadata: unknown;
    readonly publicAccess: string | undefined;
    readonly policies: Policies;
    readonly blobs: readonly unknown[];
  }[];
}

/** Dates as text; undefined members left out, and metadata in the order of their names. */
const plain = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ),
  );

async function tableAnswers(connectionString: string): Promise<AccountAnswers['tables']> {
  const service = TableServiceClient.fromConnectionString(connectionString, CLIENT_OPTIONS);
  const names = (await collect(service.listTables())).map(({ name = '' }) => name).sort();
  return Promise.all(
    names.map(async name => ({
      name,
      rows: (await rowsOf(connectionString, name)).map(formatContent).sort(),
      policies: [
        ...(await TableClient.fromConnectionString(connectionString, name, CLIENT_OPTIONS).getAccessPolicy()),
      ],
    })),
  );
}

async function queueAnswers(connectionString: string): Promise<AccountAnswers['queues']> {
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const queues = await collect(service.listQueues({ includeMetadata: true }));
  return Promise.all(
    queues.map(async ({ name, metadata }) => {
      const queue = service.getQueueClient(name);
      const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: 32 });
      const { approximateMessagesCount: count = 0 } = await queue.getProperties();
      const messages = peekedMessageItems.map(({ messageText }) => messageText);
      const policies = (await queue.getAccessPolicy()).signedIdentifiers;
      // An empty element is an empty text to the client.
      return { name, metadata: metadata || {}, policies, messages, count };
    }),
  );
}

async function blobAnswer(
  container: ContainerClient,
  { name, metadata, tags, properties }: Awaited<ReturnType<typeof listed>>[number],
): Promise<unknown> {
  const content = await container.getBlobClient(name).downloadToBuffer();
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = properties;
  return {
    name,
    type: properties.blobType,
    length: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    metadata: metadata || {},
    tags: tags ?? {},
    tier: properties.accessTierInferred ? undefined : properties.accessTier,
    headers: [contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl].map(
      each => each || null,
    ),
  };
}

const listed = (container: ContainerClient) =>
  collect(container.listBlobsFlat({ includeMetadata: true, includeTags: true }));

async function containerAnswers(connectionString: string): Promise<AccountAnswers['containers']> {
  const service = BlobServiceClient.fromConnectionString(connectionString);
  const containers = await collect(service.listContainers({ includeMetadata: true }));
  return Promise.all(
    containers.map(async ({ name, metadata }) => {
      const container = service.getContainerClient(name);
      const { blobPublicAccess, signedIdentifiers } = await container.getAccessPolicy();
      const found = (await listed(container)).filter(({ properties }) => properties.blobType !== 'PageBlob');
      const blobs = await Promise.all(found.map(blob => blobAnswer(container, blob)));
      return {
        name,
        metadata: metadata || {},
        publicAccess: blobPublicAccess,
        policies: signedIdentifiers,
        blobs,
      };
    }),
  );
}

/** Everything except page blobs. */
export const accountAnswers = async (connectionString: string): Promise<AccountAnswers> =>
  plain({
    tables: await tableAnswers(connectionString),
    queues: await queueAnswers(connectionString),
    containers: await containerAnswers(connectionString),
  });
