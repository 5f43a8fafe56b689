// Ends a subcommand that failed: with one sentence for an error that the user can correct, with the stack for any other.
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

/** Advice on an address that cannot be used. */
const LISTEN_REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there; stop it, or choose another port with --table-port or --queue-port.',
  EACCES: 'this user may not listen there; choose a port above 1023 with --table-port and --queue-port.',
  EADDRNOTAVAIL: 'this machine does not have the address; choose another with --host or --queue-host.',
};

function sentenceOf(error: Error): string {
  const isListening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');
  const remedy = isListening ? LISTEN_REMEDIES[systemCode(error) ?? ''] : undefined;
  return remedy === undefined ? error.message : `${error.message}: ${remedy}`;
}

/** The text of an error for the user of the command. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof ConfigurationError ||
    error instanceof StoreError ||
    EXPECTED_CODES.has(systemCode(error) ?? '');
  return isExpected ? sentenceOf(error) : (error.stack ?? error.message);
}

export function fail(error: unknown): never {
  process.stderr.write(`shelfmark: ${textOf(error)}\n`);
  process.exit(1);
}
