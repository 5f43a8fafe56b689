// Get and Set Table Service Properties, Get Table Service Stats (table-rest.md 13).
// The properties are the metadata of a space of their own, made when they are first set.
import { type Clock, StoreError } from '#store';
import type { Outcome } from '../outcome.js';
import {
  changeServiceProperties,
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
  type ServiceProperties,
  type ServicePropertiesChange,
} from '../service-properties.js';
import type { TableContext } from '../table-space.js';

const addressOf = (account: string) => ({ account, service: 'properties', name: 'table' });

export async function readServiceProperties({ store, account }: TableContext): Promise<ServiceProperties> {
  const space = await store.getSpace(addressOf(account));
  return space ? decodeServiceProperties(space.metadata) : defaultServiceProperties;
}

export async function getServiceProperties(context: TableContext): Promise<Outcome> {
  return { kind: 'serviceProperties', properties: await readServiceProperties(context) };
}

export async function setServiceProperties(
  { store, account }: TableContext,
  change: ServicePropertiesChange,
): Promise<Outcome> {
  const address = addressOf(account);
  const initial = encodeServiceProperties(defaultServiceProperties);
  const space =
    (await store.getSpace(address)) ??
    (await store.createSpace(address, initial)) ??
    (await store.getSpace(address));
  const changed =
    space &&
    (await store.updateSpace(space, bytes =>
      encodeServiceProperties(changeServiceProperties(decodeServiceProperties(bytes), change)),
    ));
  if (!changed) throw new StoreError('conflict', 'The service properties were removed while they were set.');
  return { kind: 'servicePropertiesSet' };
}

/** There is no other region: the secondary is the store itself, in step at every moment. */
export const getServiceStats = async (clock: Clock): Promise<Outcome> => ({
  kind: 'serviceStats',
  lastSync: clock(),
});
