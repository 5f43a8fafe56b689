// The public face of the package `shelfmark`: a server in this process, and what its settings are made of.
export { StoreError, type StoreErrorCode } from '#store';
export {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './accounts.js';
export { issueToken, type TenantOptions, type TokenRequest } from './bearer.js';
export { LOG_LEVELS, type LogLevel } from './log.js';
export { lastingMetrics, mergeMetrics } from './merge-metrics.js';
export { counter, gauge, isMetricFamily, type MetricFamily } from './metric-family.js';
export {
  type OperationsOptions,
  type OperationsView,
  openOperationsPort,
} from './operations-port.js';
export { processFamilies } from './process-families.js';
export { isRole, ROLES, type Role } from './roles.js';
export {
  checkAccounts,
  type RunningServer,
  type ServeOptions,
  type ServerLimits,
  serve,
} from './serve.js';
