// What the driver's errors mean: a cluster that cannot do it now, or a fault of this program, which no later attempt mends.
import cassandra from 'cassandra-driver';
import { StoreError } from '#store';

const { errors, types } = cassandra;
const CODES = types.responseErrorCodes;

/** Of requests of which nothing was carried out (native_protocol_v5.spec, section 8). */
const NOT_BEGUN: ReadonlySet<unknown> = new Set([CODES.overloaded, CODES.isBootstrapping]);

/** Of requests that are wrong in themselves (the same section). */
const WRONG: ReadonlySet<unknown> = new Set([
  CODES.protocolError,
  CODES.syntaxError,
  CODES.unauthorized,
  CODES.invalid,
  CODES.configError,
  CODES.alreadyExists,
]);

/** Of requests that a node ran into its own bound with. They may have been carried out, or be carried out yet. */
const LATE: ReadonlySet<unknown> = new Set([CODES.readTimeout, CODES.writeTimeout]);

/** What the driver and the language throw at a caller that is wrong. Lost connections and whatever else comes from outside are none of these. */
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

/** Whether it is certain that a request that failed so changes nothing. */
export function wasNotBegun(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return NOT_BEGUN.has(error.code);
  return error instanceof errors.NoHostAvailableError && Object.keys(error.innerErrors ?? {}).length === 0;
}

/** Whether a keyspace or a table is not there; nodes hear of new ones one after another. The code is that of all that is invalid, so the text has to tell. */
export const wasUnheard = (error: unknown): boolean =>
  error instanceof errors.ResponseError &&
  error.code === CODES.invalid &&
  /^(?:keyspace|table) \S+ (?:doesn't|does not) exist|^unconfigured table/i.test(error.message);

export const wasLate = (error: unknown): boolean =>
  error instanceof errors.ResponseError && LATE.has(error.code);

/** In one line. The driver's own text of what failed at every host has the stack of the first failure in it. */
export function messageOf(error: unknown): string {
  const [first] = error instanceof errors.NoHostAvailableError ? Object.entries(error.innerErrors ?? {}) : [];
  if (first !== undefined) return `no host can be reached. ${first[0]}: ${messageOf(first[1])}`;
  return (error instanceof Error ? error.message : String(error)).trim().replace(/\s*\n\s*/g, ' ');
}
