// Get and Set Blob Service Properties, Get Blob Service Stats (protocol: service-properties).
import { readStoredProperties, type ServiceProperties, setStoredProperties } from '#account';
import type { BlobContext } from '../blob-context.js';
import type { SetServiceProperties } from '../operation.js';
import type { Outcome } from '../outcome.js';

type Account = Pick<BlobContext, 'store' | 'account'>;

const addressOf = ({ store, account }: Account) => ({ store, account, service: 'blob' });

export const readBlobServiceProperties = (context: Account): Promise<ServiceProperties> =>
  readStoredProperties(addressOf(context));

export async function getServiceProperties(context: BlobContext): Promise<Outcome> {
  return { kind: 'serviceProperties', properties: await readBlobServiceProperties(context) };
}

export async function setServiceProperties(
  context: BlobContext,
  { change }: SetServiceProperties,
): Promise<Outcome> {
  await setStoredProperties(addressOf(context), change);
  return { kind: 'servicePropertiesSet' };
}

/** There is no second region: the secondary is the store itself and always in sync. */
export const getServiceStats = async ({ clock }: BlobContext): Promise<Outcome> => ({
  kind: 'serviceStats',
  lastSync: clock(),
});
