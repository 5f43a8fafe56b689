// How a subcommand ends that cannot go on: one sentence for what its user can mend, the stack for the rest.
import { ConfigurationError, StoreError } from '#server';

const EXPECTED_CODES = new Set([
  'EADDRINUSE',
  'EACCES',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'ENOENT',
  'EROFS',
  'EPERM',
  'ENOTDIR',
]);

export function fail(error: unknown): never {
  const isExpected =
    error instanceof ConfigurationError ||
    error instanceof StoreError ||
    (error instanceof Error && 'code' in error && EXPECTED_CODES.has(String(error.code)));
  const text =
    error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`shelfmark: ${text}\n`);
  process.exit(1);
}
