// The accounts, and an account's tables, queues and containers by the official clients, which the first request loads.

import type { TableClient } from '@azure/data-tables';
import type { ContainerClient } from '@azure/storage-blob';
import type { QueueClient } from '@azure/storage-queue';
import { signal } from '@preact/signals';
import { AskError, refusalOf } from './ask.js';
import { fetchValue } from './session.js';

export type Service = 'table' | 'queue' | 'blob';

export interface Account {
  readonly name: string;
  /** Whether it has a key, and not only a SAS. */
  readonly canSign: boolean;
  readonly endpoints: Readonly<Partial<Record<Service, string>>>;
}

export const accounts = signal<readonly Account[]>([]);

/** @throws AskError */
export function endpointOf(account: string, service: Service): string {
  const endpoint = accounts.value.find(({ name }) => name === account)?.endpoints[service];
  if (endpoint !== undefined) return endpoint;
  throw new AskError('NoService', `Account ${account} has no endpoint for ${service}s.`);
}

/** The explorer's path of a URL of an account. */
export function pathOf(account: string, service: Service, url: string): string {
  const { pathname, search } = new URL(url);
  const { pathname: base } = new URL(endpointOf(account, service));
  const below = pathname.slice(base.length).replace(/^\//, '');
  return `/accounts/${encodeURIComponent(account)}/${service}/${below}${search}`;
}

interface Offer {
  readonly accounts: readonly Account[];
  /** Whether there are live figures. */
  readonly hasLive: boolean;
  /** Whether partitions are counted. */
  readonly hasHeat: boolean;
}

export async function readAccounts(): Promise<Offer> {
  const offer = await fetchValue<Offer>('/accounts');
  accounts.value = offer.accounts;
  return offer;
}

/** A table, a queue or a container. */
export interface Place {
  readonly account: string;
  readonly name: string;
}

const clients = () => import('./clients.js');

export const tableOf = async ({ account, name }: Place): Promise<TableClient> =>
  (await clients()).tableClient(account, name);
export const queueOf = async ({ account, name }: Place): Promise<QueueClient> =>
  (await clients()).queueService(account).getQueueClient(name);
export const containerOf = async ({ account, name }: Place): Promise<ContainerClient> =>
  (await clients()).blobService(account).getContainerClient(name);

async function namesOf(found: AsyncIterable<{ readonly name?: string }>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name = '' } of found) names.push(name);
  return names;
}

/** The client takes it for success that a table is there already, or is already gone. */
const REFUSING = {
  onResponse: (_response: unknown, _answer: unknown, error?: unknown): void => {
    if (error !== undefined) throw refusalOf(error);
  },
};

interface Resources {
  readonly list: (account: string, abortSignal: AbortSignal) => Promise<readonly string[]>;
  readonly create: (place: Place) => Promise<unknown>;
  readonly remove: (place: Place) => Promise<unknown>;
}

export const RESOURCES: Readonly<Record<Service, Resources>> = {
  table: {
    list: async (account, abortSignal) =>
      namesOf((await clients()).tableService(account).listTables({ abortSignal })),
    create: async place => (await tableOf(place)).createTable(REFUSING),
    remove: async place => (await tableOf(place)).deleteTable(REFUSING),
  },
  queue: {
    list: async (account, abortSignal) =>
      namesOf((await clients()).queueService(account).listQueues({ abortSignal })),
    create: async place => (await queueOf(place)).create(),
    remove: async place => (await queueOf(place)).delete(),
  },
  blob: {
    list: async (account, abortSignal) =>
      namesOf((await clients()).blobService(account).listContainers({ abortSignal })),
    create: async place => (await containerOf(place)).create(),
    remove: async place => (await containerOf(place)).delete(),
  },
};
