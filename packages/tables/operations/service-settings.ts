// Get and Set Table Service Properties, Get Table Service Stats (protocol: service-properties).
import {
  readStoredProperties,
  type ServiceProperties,
  type ServicePropertiesChange,
  setStoredProperties,
} from '#account';
import type { Clock } from '#base';
import type { Outcome } from '../outcome.js';
import type { TableContext } from '../table-space.js';

const addressOf = ({ store, account }: TableContext) => ({ store, account, service: 'table' });

export const readServiceProperties = (context: TableContext): Promise<ServiceProperties> =>
  readStoredProperties(addressOf(context));

export async function getServiceProperties(context: TableContext): Promise<Outcome> {
  return { kind: 'serviceProperties', properties: await readServiceProperties(context) };
}

export async function setServiceProperties(
  context: TableContext,
  change: ServicePropertiesChange,
): Promise<Outcome> {
  await setStoredProperties(addressOf(context), change);
  return { kind: 'servicePropertiesSet' };
}

/** There is no second region: the secondary is the store itself and always in sync. */
export const getServiceStats = async (clock: Clock): Promise<Outcome> => ({
  kind: 'serviceStats',
  lastSync: clock(),
});
