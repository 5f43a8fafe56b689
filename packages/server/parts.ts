// Parts of the server for the command, and for tests that register a service or an engine of their own. Not published.
export type { Right } from './auth/auth-protocol.js';
export { authorize } from './auth/authorize.js';
export type { Grant } from './auth/grant.js';
export { ROLES } from './auth/roles.js';
export { ENGINES, Engines } from './engines.js';
export { BODY_BYTES_MAX, bufferedBody, Service, streamedBody } from './frame/handle-request.js';
export type { ServerContext } from './frame/server-context.js';
export type { RequestContext, ServiceProtocol } from './frame/service-protocol.js';
export { LOG_LEVELS } from './observe/log.js';
export { counter, gauge, lastingMetrics, mergeMetrics } from './observe/metric-family.js';
export { openOperationsPort } from './observe/operations-port.js';
export { PartitionCounters } from './observe/partition-counters.js';
export { processFamilies } from './observe/process-view.js';
export { checkAccounts, checkTrustedProxies } from './serve.js';
export { SERVICES, type ServiceEntry, servicesCounting } from './services/registry.js';
