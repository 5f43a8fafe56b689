// The public face of the package `shelfmark`: a server in this process, and what its settings are made of.
export { StoreError, type StoreErrorCode } from '#store';
export {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './auth/accounts.js';
export type {
  AuthenticationProtocol,
  AuthorizationProtocol,
  KindRight,
  Right,
} from './auth/auth-protocol.js';
export { authorize } from './auth/authorize.js';
export { issueToken, type TenantOptions, type TokenRequest } from './auth/bearer.js';
export type { Grant } from './auth/grant.js';
export { isRole, ROLES, type Role } from './auth/roles.js';
export { addressOf, ENGINES, Engines, type ToolName } from './engines.js';
export { BODY_BYTES_MAX, checkBody, Service } from './frame/handle-request.js';
export { bufferedBody, streamedBody } from './frame/request-body.js';
export type { ServerContext } from './frame/server-context.js';
export type { RequestContext, ServiceProtocol } from './frame/service-protocol.js';
export { LOG_LEVELS, type LogLevel } from './observe/log.js';
export { lastingMetrics, mergeMetrics } from './observe/merge-metrics.js';
export { counter, gauge, isMetricFamily, type MetricFamily } from './observe/metric-family.js';
export {
  type OperationsOptions,
  type OperationsView,
  openOperationsPort,
} from './observe/operations-port.js';
export { PartitionCounters, type PartitionHeat } from './observe/partition-counters.js';
export { processFamilies } from './observe/process-families.js';
export {
  checkAccounts,
  checkTrustedProxies,
  type RunningServer,
  type ServeOptions,
  type ServerLimits,
  serve,
} from './serve.js';
export {
  type OpenService,
  SERVICES,
  type ServiceAddresses,
  type ServiceEntry,
  servicesCounting,
} from './services/registry.js';
