// Entra's roles, by the names that tokens give (protocol: authentication#roles). Which actions a role allows is said by the service that has them.

export const ROLES = [
  'Storage Table Data Reader',
  'Storage Table Data Contributor',
  'Storage Queue Data Reader',
  'Storage Queue Data Contributor',
  'Storage Queue Data Message Processor',
  'Storage Queue Data Message Sender',
  'Storage Blob Data Reader',
  'Storage Blob Data Contributor',
  'Storage Blob Data Owner',
  'Storage Blob Delegator',
  'Storage Account Contributor',
] as const;

export type Role = (typeof ROLES)[number];

export const isRole = (name: string): name is Role => ROLES.some(role => role === name);

/** Who manages the account may do what there is to do, the services' own properties and all policies among it. */
export const allowsAll = (role: Role): boolean => role === 'Storage Account Contributor';
