// Entra's roles by name. Which actions each allows is said by the services; here they come together, since tokens are the same for all
// services (protocol: authentication#roles).
import { QUEUE_ROLES } from '../services/queue/rights.js';
import { TABLE_ROLES } from '../services/table/rights.js';

/** Role names as Azure has them, with the actions that they allow in one service. */
export const ROLES = {
  ...TABLE_ROLES,
  ...QUEUE_ROLES,
  'Storage Account Contributor': [],
} as const satisfies Record<string, readonly string[]>;

export type Role = keyof typeof ROLES;

export const isRole = (name: string): name is Role => Object.hasOwn(ROLES, name);

/** Who manages the account may do what there is to do, the services' own properties and all policies among it. */
export const allowsAll = (role: string): boolean => role === 'Storage Account Contributor';
