// The public face of the package `shelfmark`: a server in this process, and what its settings are made of. parts.ts has
// what the command and the tests use in addition.
export { StoreError, type StoreErrorCode } from '#store';
export {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './auth/accounts.js';
export { issueToken, type TenantOptions, type TokenRequest } from './auth/bearer.js';
export type { Role } from './auth/roles.js';
export type { LogLevel } from './observe/log.js';
export type { MetricFamily } from './observe/metric-family.js';
export type { OperationsOptions, OperationsView } from './observe/operations-port.js';
export { type RunningServer, type ServeOptions, type ServerLimits, serve } from './serve.js';
