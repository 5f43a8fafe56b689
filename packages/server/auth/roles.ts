// Entra's roles, by the names that tokens have (protocol: authentication#roles). Each service declares which actions a role allows.

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

/** An account's administrator may do everything, including changes of service properties and policies. */
export const allowsAll = (role: Role): boolean => role === 'Storage Account Contributor';
