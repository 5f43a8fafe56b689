// A stored value with its type. wire-property.ts and decode-property.ts know its texts.
import type { EdmType } from './edm.js';
import type { Instant } from './instant.js';

/** A value as its type in the table gives it. Int64 is a bigint, a Guid its text, and JSON, to the service, a string. */
export type BagValue = string | number | bigint | boolean | Instant | Uint8Array;

/** By what it has, for there may be two copies of this library in a process. */
export const isInstant = (value: unknown): value is Instant =>
  typeof value === 'object' && value !== null && 'ticks' in value && typeof value.ticks === 'bigint';

/** A value with its type of the service. */
export interface TypedValue {
  readonly type: EdmType;
  readonly value: BagValue;
}
