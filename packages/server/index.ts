// The public face of the package `shelfmark`: a server in this process.
export { StoreError, type StoreErrorCode } from '#store';
export {
  type AccountKeys,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './accounts.js';
export type { LogLevel } from './log.js';
export { type RunningServer, type ServeOptions, serve } from './serve.js';
