// Messages of the command on standard error, and the end of a subcommand that failed: one sentence for an error that the
// user can correct, the stack for any other.
import { ConfigurationError } from '#server/engines';
import { StoreError } from '#store';

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

/** The system's code of an error, where there is one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The text of an error for the user of the command. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof ConfigurationError ||
    error instanceof StoreError ||
    (error instanceof Error && error.name === 'ExplorerRefused') ||
    EXPECTED_CODES.has(systemCode(error) ?? '');
  return isExpected ? error.message : (error.stack ?? error.message);
}

export function say(text: string): void {
  process.stderr.write(`shelfmark: ${text}\n`);
}

export function fail(error: unknown): never {
  say(textOf(error));
  process.exit(1);
}
