// Get and Set Queue Service Properties, Get Queue Service Stats (protocol: service-properties).
import { readStoredProperties, type ServiceProperties, setStoredProperties } from '#account';
import type { Clock } from '#base';
import type { SetServiceProperties } from '../operation.js';
import type { Outcome } from '../outcome.js';
import type { QueueContext } from '../queue-space.js';

type Account = Pick<QueueContext, 'store' | 'account'>;

const addressOf = ({ store, account }: Account) => ({ store, account, service: 'queue' });

export const readQueueServiceProperties = (context: Account): Promise<ServiceProperties> =>
  readStoredProperties(addressOf(context));

export async function getServiceProperties(context: QueueContext): Promise<Outcome> {
  return { kind: 'serviceProperties', properties: await readQueueServiceProperties(context) };
}

export async function setServiceProperties(
  context: QueueContext,
  { change }: SetServiceProperties,
): Promise<Outcome> {
  await setStoredProperties(addressOf(context), change);
  return { kind: 'servicePropertiesSet' };
}

/** There is no second region: the secondary is the store itself and always in sync. */
export const getServiceStats = async (clock: Clock): Promise<Outcome> => ({
  kind: 'serviceStats',
  lastSync: clock(),
});
