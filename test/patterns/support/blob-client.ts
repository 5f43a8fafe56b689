// The official client of blobs for a connection string, through an HTTP client of a test.
import type { HttpClient } from '@azure/core-rest-pipeline';
import { BlobServiceClient, newPipeline, StorageSharedKeyCredential } from '@azure/storage-blob';
import { settingsOf } from '../../support/running-peer.js';

/** It tries again at once, through this HTTP client if one is given. */
export function blobClient(connectionString: string, httpClient: HttpClient | undefined): BlobServiceClient {
  const settings = settingsOf(connectionString);
  const credential = new StorageSharedKeyCredential(
    settings.get('AccountName') ?? '',
    settings.get('AccountKey') ?? '',
  );
  const retryOptions = { maxTries: 4, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const pipeline = newPipeline(credential, { retryOptions });
  if (httpClient) Object.assign(pipeline, { _coreHttpClient: httpClient });
  return new BlobServiceClient(settings.get('BlobEndpoint') ?? '', pipeline);
}
