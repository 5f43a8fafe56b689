// The official clients of an account. They address its own endpoint; their requests go to the explorer's server, which
// signs them and passes them on. Imported by the first request only, so that the page is drawn before.
import { createHttpHeaders, type HttpHeaders } from '@azure/core-rest-pipeline';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient, type HttpHeaders as CompatHeaders } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { exactNames } from '../../model/typed-entity.js';
import { endpointOf, pathOf, type Service } from './account.js';
import { send } from './session.js';

/** Older than the clients' own: Azurite refuses versions that it does not know. */
const VERSIONS: Readonly<Record<Service, string>> = {
  table: '2019-02-02',
  queue: '2019-02-02',
  blob: '2020-10-02',
};

/** What the clients' two generations of requests have in common. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: { toJSON?(): Record<string, string>; toJson?(): Record<string, string> };
  readonly body?: unknown;
  readonly abortSignal?: unknown;
  readonly streamResponseStatusCodes?: ReadonlySet<number>;
}

const httpClientOf = (account: string, service: Service) => ({
  async sendRequest<Request extends Sent>(request: Request) {
    const asked = request.headers.toJSON?.() ?? request.headers.toJson?.();
    const response = await send(pathOf(account, service, request.url), {
      method: request.method,
      headers: { ...asked, 'x-ms-version': VERSIONS[service] },
      body: request.body as BodyInit,
      signal: request.abortSignal as AbortSignal,
    });
    const headers = Object.fromEntries(response.headers);
    // The explorer's own is no property of the blob.
    headers['cache-control'] = headers['x-explorer-cache-control'] ?? '';
    const isStream = request.streamResponseStatusCodes?.has(response.status);
    return {
      request,
      status: response.status,
      // `toJson` is what is read of the older generation's headers.
      headers: Object.assign(createHttpHeaders(headers), { toJson: () => headers }) as HttpHeaders &
        CompatHeaders,
      ...(isStream ? { blobBody: response.blob() } : { bodyAsText: await response.text() }),
    };
  },
});

// Nothing is sent again: a write whose answer was lost may be done, and the user decides.
const tableOptions = (account: string) => ({
  allowInsecureConnection: true,
  httpClient: httpClientOf(account, 'table'),
  retryOptions: { maxRetries: 0 },
  additionalPolicies: [{ policy: exactNames, position: 'perCall' as const }],
});
const storageOptions = (account: string, service: Service) => ({
  httpClient: httpClientOf(account, service),
  retryOptions: { maxTries: 1 },
});

export const tableClient = (account: string, table: string): TableClient =>
  new TableClient(endpointOf(account, 'table'), table, tableOptions(account));
export const tableService = (account: string): TableServiceClient =>
  new TableServiceClient(endpointOf(account, 'table'), tableOptions(account));
export const queueService = (account: string): QueueServiceClient =>
  new QueueServiceClient(endpointOf(account, 'queue'), undefined, storageOptions(account, 'queue'));
export const blobService = (account: string): BlobServiceClient =>
  new BlobServiceClient(endpointOf(account, 'blob'), undefined, storageOptions(account, 'blob'));
