// The tenants of --tenant, whose bearer tokens are accepted, with Entra ID's addresses by default.
import { ConfigurationError, type Role, type TenantOptions } from '#server';

export interface TenantFlags {
  /** All named tenants, in their order. */
  readonly tenant?: readonly string[];
  readonly tenantIssuer?: string;
  readonly tenantJwks?: string;
  readonly tenantAudience?: string;
  readonly tenantRole?: Role;
}

const authorityOf = (tenant: string): string => `https://login.microsoftonline.com/${tenant}`;

/** The issuers that Entra ID writes into storage tokens of its two versions (protocol: authentication#bearer-tokens). */
const issuersOf = (tenant: string): readonly string[] => [
  `${authorityOf(tenant)}/v2.0`,
  `https://sts.windows.net/${tenant}/`,
];

/** @throws ConfigurationError if one issuer is given for several tenants. */
export function tenantsOf(flags: TenantFlags): readonly TenantOptions[] {
  const {
    tenant: tenants = [],
    tenantIssuer,
    tenantJwks,
    tenantAudience: audience,
    tenantRole: role,
  } = flags;
  if (tenantIssuer !== undefined && tenants.length > 1)
    throw new ConfigurationError('--tenant-issuer is for one --tenant.');
  return tenants.map(tenant => ({
    tenant,
    issuer: tenantIssuer ?? issuersOf(tenant),
    jwks: tenantJwks ?? `${authorityOf(tenant)}/discovery/v2.0/keys`,
    audience,
    role,
  }));
}
