// The settings of a service, the same for all services of an account: its properties in the store, the metadata of a
// space of their own that is created when they are first set; and the operations Get and Set Service Properties, Get
// Service Stats (protocol: service-properties).
import type { Clock } from '#base';
import { type SpaceAddress, type Store, StoreError } from '#store';
import {
  changeServiceProperties,
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
  type ServicePropertiesChange,
} from './service-properties.js';

interface ServiceAddress {
  readonly store: Store;
  readonly account: string;
  /** `table`, `queue` or `blob`. */
  readonly service: string;
}

const addressOf = ({ account, service }: ServiceAddress): SpaceAddress => ({
  account,
  service: 'properties',
  name: service,
});

export async function readStoredProperties(address: ServiceAddress): Promise<ServiceProperties> {
  const space = await address.store.getSpace(addressOf(address));
  return space ? decodeServiceProperties(space.metadata) : defaultServiceProperties;
}

export async function setStoredProperties(
  address: ServiceAddress,
  change: ServicePropertiesChange,
): Promise<void> {
  const { store } = address;
  const at = addressOf(address);
  const initial = encodeServiceProperties(defaultServiceProperties);
  const space =
    (await store.getSpace(at)) ?? (await store.createSpace(at, initial)) ?? (await store.getSpace(at));
  const changed =
    space &&
    (await store.updateSpace(space, bytes =>
      encodeServiceProperties(changeServiceProperties(decodeServiceProperties(bytes), change)),
    ));
  if (!changed) throw new StoreError('conflict', 'The service properties were removed while they were set.');
}

export type ServiceSettings =
  | { readonly kind: 'getServiceProperties' }
  | { readonly kind: 'setServiceProperties'; readonly change: ServicePropertiesChange }
  | { readonly kind: 'getServiceStats' };

export type ServiceSettingsOutcome =
  | { readonly kind: 'serviceProperties'; readonly properties: ServiceProperties }
  | { readonly kind: 'servicePropertiesSet' }
  | { readonly kind: 'serviceStats'; readonly lastSync: bigint };

/** Fails with StoreError where the engine fails. */
export async function executeSettings(
  operation: ServiceSettings,
  { store, account }: Omit<ServiceAddress, 'service'>,
  service: string,
  clock: Clock,
): Promise<ServiceSettingsOutcome> {
  const address = { store, account, service };
  switch (operation.kind) {
    case 'getServiceProperties':
      return { kind: 'serviceProperties', properties: await readStoredProperties(address) };
    case 'setServiceProperties':
      await setStoredProperties(address, operation.change);
      return { kind: 'servicePropertiesSet' };
    case 'getServiceStats':
      // There is no second region: the secondary is the store itself and always in sync.
      return { kind: 'serviceStats', lastSync: clock() };
  }
}
