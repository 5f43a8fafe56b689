// The accounts, and the names of the chosen account's tables, queues and containers.
import { effect, type Signal, signal } from '@preact/signals';
import { type Account, accounts, isAborted, readAccounts, type Service, sentenceOf } from '../client/ask.js';
import { listContainers } from '../client/blob-client.js';
import { listQueues } from '../client/queue-client.js';
import { listTables } from '../client/table-client.js';
import { account, go, route } from './route.js';

export interface Listing {
  readonly names: readonly string[];
  readonly state: 'loading' | 'ready' | 'failed' | 'absent';
  /** Why it failed. */
  readonly sentence: string;
}

const LOADING: Listing = { names: [], state: 'loading', sentence: '' };

export { accounts };

/** Whether the server shows live figures. */
export const hasLive = signal(false);
/** Whether it counts partitions. */
export const hasHeat = signal(false);
/** Why there are no accounts; undefined while they are being read. */
export const accountsFailure = signal<string | undefined>(undefined);
export const listings: Readonly<Record<Service, Signal<Listing>>> = {
  table: signal(LOADING),
  queue: signal(LOADING),
  blob: signal(LOADING),
};

export const SERVICE_NAMES: Readonly<Record<Service, { readonly many: string; readonly one: string }>> = {
  table: { many: 'Tables', one: 'table' },
  queue: { many: 'Queues', one: 'queue' },
  blob: { many: 'Containers', one: 'container' },
};
export const SERVICES: readonly Service[] = ['table', 'queue', 'blob'];

const LISTS: Readonly<Record<Service, (account: string, signal: AbortSignal) => Promise<readonly string[]>>> =
  {
    table: listTables,
    queue: listQueues,
    blob: listContainers,
  };

export const currentAccount = (): Account | undefined =>
  accounts.value.find(({ name }) => name === account.value);

let listing = new AbortController();

async function readListing(service: Service, of: Account, signal: AbortSignal): Promise<void> {
  const target = listings[service];
  if (of.endpoints[service] === undefined) {
    target.value = { names: [], state: 'absent', sentence: '' };
    return;
  }
  try {
    const names = await LISTS[service](of.name, signal);
    target.value = { names, state: 'ready', sentence: '' };
  } catch (error) {
    if (!isAborted(error)) target.value = { names: [], state: 'failed', sentence: sentenceOf(error) };
  }
}

export async function refreshListing(service: Service): Promise<void> {
  const of = currentAccount();
  if (of !== undefined) await readListing(service, of, listing.signal);
}

/** Reads the accounts, and the chosen account's names whenever another is chosen. */
export async function startResources(): Promise<void> {
  accountsFailure.value = undefined;
  try {
    const offer = await readAccounts();
    hasLive.value = offer.hasLive;
    hasHeat.value = offer.hasHeat;
  } catch (error) {
    accountsFailure.value = sentenceOf(error);
    return;
  }
  const [first] = accounts.value;
  if (first !== undefined && currentAccount() === undefined) go({ kind: 'home' }, first.name);
}

let shown = '';
effect(() => {
  const of = accounts.value.find(({ name }) => name === route.value.account);
  if (of === undefined || of.name === shown) return;
  shown = of.name;
  listing.abort();
  listing = new AbortController();
  for (const service of SERVICES) {
    listings[service].value = LOADING;
    void readListing(service, of, listing.signal);
  }
});
