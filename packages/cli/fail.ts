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

/** The system's code of an error, where the system made it. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** What there is to say of an error to whoever started the command. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof ConfigurationError ||
    error instanceof StoreError ||
    EXPECTED_CODES.has(systemCode(error) ?? '');
  return isExpected ? error.message : (error.stack ?? error.message);
}

export function fail(error: unknown): never {
  process.stderr.write(`shelfmark: ${textOf(error)}\n`);
  process.exit(1);
}
