// What the driver's errors mean: a cluster that is currently unable, or a fault of this program, which no retry fixes.
import cassandra from 'cassandra-driver';
import { StoreError } from '#store';

const { errors, types } = cassandra;
const CODES = types.responseErrorCodes;

/** Errors after which nothing was carried out (native_protocol_v5.spec, section 8). */
const NOT_BEGUN: ReadonlySet<unknown> = new Set([CODES.overloaded, CODES.isBootstrapping]);

/** Requests that are wrong in themselves (the same section). */
const WRONG: ReadonlySet<unknown> = new Set([
  CODES.protocolError,
  CODES.syntaxError,
  CODES.unauthorized,
  CODES.invalid,
  CODES.configError,
  CODES.alreadyExists,
]);

/** Requests that hit a node's own timeout. They may have been carried out, or still be carried out. */
const LATE: ReadonlySet<unknown> = new Set([CODES.readTimeout, CODES.writeTimeout]);

/**
 * What the driver and the language throw for a caller's mistake. Lost connections and other external failures are never
 * among these.
 */
const THROWN_AT_CALLERS = [
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  errors.ArgumentError,
  errors.NotSupportedError,
  errors.DriverInternalError,
];

export function isFault(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return WRONG.has(error.code);
  return THROWN_AT_CALLERS.some(type => error instanceof type);
}

/** A `StoreError`, or a fault as it is. */
export const failureOf = (error: unknown): unknown => (isFault(error) ? error : busy(error));

export const busy = (error: unknown): StoreError =>
  new StoreError('busy', `Cassandra cannot do it now: ${messageOf(error)}`, error);

export const refused = (error: unknown): StoreError =>
  new StoreError('unsupported', `Cassandra refuses it: ${messageOf(error)}`, error);

/** Whether a request that failed like this certainly changes nothing. */
export function wasNotBegun(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return NOT_BEGUN.has(error.code);
  return error instanceof errors.NoHostAvailableError && Object.keys(error.innerErrors ?? {}).length === 0;
}

/**
 * Whether a keyspace or a table is missing; nodes learn of new ones one after another. All invalid requests share the
 * code, so the text decides.
 */
export const wasUnheard = (error: unknown): boolean =>
  error instanceof errors.ResponseError &&
  error.code === CODES.invalid &&
  /^(?:keyspace|table) \S+ (?:doesn't|does not) exist|^unconfigured table/i.test(error.message);

export const wasLate = (error: unknown): boolean =>
  error instanceof errors.ResponseError && LATE.has(error.code);

/** On one line. The driver's own text for a failure at every host includes the stack of the first one. */
export function messageOf(error: unknown): string {
  const [first] = error instanceof errors.NoHostAvailableError ? Object.entries(error.innerErrors ?? {}) : [];
  if (first !== undefined) return `no host can be reached. ${first[0]}: ${messageOf(first[1])}`;
  return (error instanceof Error ? error.message : String(error)).trim().replace(/\s*\n\s*/g, ' ');
}
