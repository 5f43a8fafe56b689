// What the options of `shelfmark serve` set: the limits of a server, which docs/limits.md documents, the tenants whose
// bearer tokens are accepted, with Entra ID's addresses by default, and the number of processes on this machine.
import { availableParallelism } from 'node:os';
import { ConfigurationError, type ServerLimits, type TenantOptions } from '#server';
import type { EngineTools } from '#store';
import type { ServeFlags, Workers } from './serve-options.js';

const MEBIBYTE = 1_048_576;

/** A missing option keeps the server's default. */
export function limitsOf(flags: ServeFlags): ServerLimits {
  const { maxConnections, maxWaitingWrites, maxRequestMegabytes, drainSeconds } = flags;
  return {
    connectionsMax: maxConnections,
    waitingWritesMax: maxWaitingWrites,
    bufferedBytesMax: maxRequestMegabytes === undefined ? undefined : maxRequestMegabytes * MEBIBYTE,
    drainMilliseconds: drainSeconds === undefined ? undefined : drainSeconds * 1_000,
  };
}

const authorityOf = (tenant: string): string => `https://login.microsoftonline.com/${tenant}`;

/** The issuers that Entra ID writes into storage tokens of its two versions (protocol: authentication#bearer-tokens). */
const issuersOf = (tenant: string): readonly string[] => [
  `${authorityOf(tenant)}/v2.0`,
  `https://sts.windows.net/${tenant}/`,
];

/** @throws ConfigurationError if one issuer is given for several tenants. */
export function tenantsOf(flags: ServeFlags): readonly TenantOptions[] {
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

/**
 * The number of processes to serve with, within what the engine allows; `auto` takes one for each core, up to that.
 * `option` is what chose the engine.
 *
 * @throws ConfigurationError if the number asked for is more than the engine allows.
 */
export function workersOf(
  workers: Workers,
  { workersMax: most = 1, hasPeers = false }: Pick<EngineTools, 'workersMax' | 'hasPeers'>,
  option: string,
): number {
  if (workers === 'auto') return Math.min(availableParallelism(), most);
  if (workers <= most) return workers;
  if (hasPeers && most === 1)
    throw new ConfigurationError(
      `${option} has one process for each server: in place of ${workers} workers start as many servers, each on a port of its own.`,
    );
  const held =
    most === 1 ? 'keeps the data in one process, which' : `lets ${most} processes share the data, which`;
  throw new ConfigurationError(
    `${option} ${held} ${workers} workers cannot share: leave out one of the two.`,
  );
}
