// The properties of one of an account's services in the store: the metadata of a space of their own, created when they are
// first set.
import { type SpaceAddress, type Store, StoreError } from '#store';
import {
  changeServiceProperties,
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
  type ServicePropertiesChange,
} from './service-properties.js';

export interface ServiceAddress {
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
