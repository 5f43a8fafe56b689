// The official clients of queues and blobs for a connection string. They try again at once, through the HTTP client of a test if one is given.
import type { HttpClient } from '@azure/core-rest-pipeline';
import { BlobServiceClient } from '@azure/storage-blob';
import { newPipeline, QueueServiceClient, StorageSharedKeyCredential } from '@azure/storage-queue';
import { settingsOf } from '../../support/running-peer.js';

function partsOf(connectionString: string, service: 'Queue' | 'Blob', httpClient: HttpClient | undefined) {
  const settings = settingsOf(connectionString);
  const setting = (name: string): string => settings.get(name) ?? '';
  const credential = new StorageSharedKeyCredential(setting('AccountName'), setting('AccountKey'));
  const retryOptions = { maxTries: 4, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const pipeline = newPipeline(credential, { retryOptions });
  // The clients take HTTP clients of their earlier generation only, and keep the one of today here.
  if (httpClient) Object.assign(pipeline, { _coreHttpClient: httpClient });
  return [setting(`${service}Endpoint`), pipeline] as const;
}

export const queueClient = (connectionString: string, httpClient?: HttpClient): QueueServiceClient =>
  new QueueServiceClient(...partsOf(connectionString, 'Queue', httpClient));

export const blobClient = (connectionString: string, httpClient?: HttpClient): BlobServiceClient =>
  new BlobServiceClient(...partsOf(connectionString, 'Blob', httpClient));
