// The accounts, and the names of the chosen account's tables, queues and containers.
import { computed, effect, signal } from '@preact/signals';
import { accounts, RESOURCES, readAccounts, type Service } from '../client/account.js';
import { sentenceOf } from '../client/ask.js';
import { Loading } from './loaded.js';
import { account, go } from './route.js';

/** Whether the server shows live figures. */
export const hasLive = signal(false);
/** Whether it counts partitions. */
export const hasHeat = signal(false);
/** Why there are no accounts; undefined while they are being read. */
export const accountsFailure = signal<string | undefined>(undefined);

interface Names {
  readonly many: string;
  readonly one: string;
  /** What goes with it. */
  readonly contents: string;
}

export const SERVICE_NAMES: Readonly<Record<Service, Names>> = {
  table: { many: 'Tables', one: 'table', contents: 'entities' },
  queue: { many: 'Queues', one: 'queue', contents: 'messages' },
  blob: { many: 'Containers', one: 'container', contents: 'blobs' },
};
export const SERVICES: readonly Service[] = ['table', 'queue', 'blob'];

export const currentAccount = computed(() => accounts.value.find(({ name }) => name === account.value));

/** Of each service of the chosen account; a service that it lacks is undefined. */
const listings = computed(() => {
  const of = currentAccount.value;
  const listing = (service: Service) =>
    of?.endpoints[service] === undefined
      ? undefined
      : new Loading(stop => RESOURCES[service].list(of.name, stop));
  return { table: listing('table'), queue: listing('queue'), blob: listing('blob') };
});
effect(() => {
  const ends = Object.values(listings.value).map(listing => listing?.start());
  return () => {
    for (const end of ends) end?.();
  };
});

const NO_NAMES: readonly string[] = [];
export const listingOf = (service: Service) => listings.value[service]?.state.value;
export const namesOf = (service: Service): readonly string[] => listingOf(service)?.value ?? NO_NAMES;
export const isAbsent = (service: Service): boolean =>
  currentAccount.value !== undefined && listings.value[service] === undefined;
export const refreshListing = async (service: Service): Promise<void> => listings.value[service]?.again();

/** Reads the accounts. */
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
  if (first !== undefined && currentAccount.value === undefined) go({ kind: 'home' }, first.name);
}
