// The services that a server has, in the order in which their ports are opened and their operations counted. A new service is an entry here.

import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import { Service } from '../frame/handle-request.js';
import type { ServerContext } from '../frame/server-context.js';
import type { PartitionCounters } from '../observe/partition-counters.js';
import type { CountedService } from '../observe/request-metrics.js';
import type { Carried, ForwardedRequest } from '../peers/forwarded.js';
import { startBlobSweep } from './blob/blob-request.js';
import { BLOB_SERVICE } from './blob/blob-service.js';
import { QUEUE_SERVICE, startQueueSweep } from './queue/queue-service.js';
import { countedTables } from './table/counted-tables.js';
import { TABLE_SERVICE } from './table/table-service.js';

/** Where services listen. */
export interface ServiceAddresses {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port of the Table service; default 0, a free one. */
  readonly tablePort?: number | undefined;
  /** Port of the Queue service, on the same data; default 0, a free one. `none`: there is no Queue service. */
  readonly queuePort?: number | 'none' | undefined;
  /** Address of the Queue service; default that of the Table service. */
  readonly queueHost?: string | undefined;
  /** Port of the Blob service, on the same data; default 0, a free one. `none`: there is no Blob service. */
  readonly blobPort?: number | 'none' | undefined;
  /** Address of the Blob service; default that of the Table service. */
  readonly blobHost?: string | undefined;
}

/** A service on a server, whatever its requests are made of. */
export interface OpenService {
  /** Rejects only if the client is gone: every other error becomes an answer. */
  readonly handle: (request: WireRequest) => Promise<WireResponse | StreamedResponse>;
  /** The same for a request that another front end has authorized. Undefined for an unknown account. */
  readonly carryOut: (forwarded: ForwardedRequest) => Promise<Carried> | undefined;
  /** Call after a change of keys: signatures with a removed key become invalid. */
  forgetSignatures(): void;
}

/** The background work of a service. */
export interface BackgroundTask {
  /** Resolves once nothing of it is under way. */
  stop(): Promise<void>;
}

export interface ServiceEntry {
  /** The part of its protocol that the server needs of every service. */
  readonly protocol: CountedService;
  /** In connection strings. */
  readonly endpointName: string;
  /** Its own options of the addresses; a host that is undefined is the common one. */
  addressOf(addresses: ServiceAddresses): {
    readonly host: string | undefined;
    readonly port: number | 'none' | undefined;
  };
  open(server: ServerContext): OpenService;
  startBackground?(server: ServerContext): BackgroundTask;
}

const tables: ServiceEntry = {
  protocol: TABLE_SERVICE,
  endpointName: 'TableEndpoint',
  addressOf: ({ tablePort }) => ({ host: undefined, port: tablePort }),
  open: server => new Service(TABLE_SERVICE, server),
};

const queues: ServiceEntry = {
  protocol: QUEUE_SERVICE,
  endpointName: 'QueueEndpoint',
  addressOf: ({ queueHost, queuePort }) => ({ host: queueHost, port: queuePort }),
  open: server => new Service(QUEUE_SERVICE, server),
  startBackground: startQueueSweep,
};

const blobs: ServiceEntry = {
  protocol: BLOB_SERVICE,
  endpointName: 'BlobEndpoint',
  addressOf: ({ blobHost, blobPort }) => ({ host: blobHost, port: blobPort }),
  open: server => new Service(BLOB_SERVICE, server),
  startBackground: startBlobSweep,
};

export const SERVICES: readonly ServiceEntry[] = [tables, queues, blobs];

/** The same services, with the partitions of tables counted. */
export const servicesCounting = (counters: PartitionCounters): readonly ServiceEntry[] => [
  { ...tables, open: server => new Service(countedTables(counters), server) },
  queues,
  blobs,
];
