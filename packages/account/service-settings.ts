// The operations on the settings of a service, the same for all services of an account: Get and Set Service Properties,
// Get Service Stats (protocol: service-properties).
import type { Clock } from '#base';
import type { ServiceProperties, ServicePropertiesChange } from './service-properties.js';
import { readStoredProperties, type ServiceAddress, setStoredProperties } from './stored-properties.js';

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
