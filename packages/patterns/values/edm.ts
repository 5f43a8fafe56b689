// The eight types of a stored property. encode-property.ts and decode-property.ts know their texts.
import type { Instant } from './instant.js';

/** The types of the service. */
export type EdmType = 'String' | 'Int32' | 'Int64' | 'Double' | 'Boolean' | 'DateTime' | 'Guid' | 'Binary';

/** A value as its type in the table gives it. Int64 is a bigint, a Guid its text, and JSON, to the service, a string. */
export type BagValue = string | number | bigint | boolean | Instant | Uint8Array;

/** By what it has, for there may be two copies of this library in a process. */
export const isInstant = (value: unknown): value is Instant =>
  typeof value === 'object' && value !== null && 'ticks' in value && typeof value.ticks === 'bigint';

export const INT32_MIN = -(2 ** 31);
export const INT32_MAX = 2 ** 31 - 1;
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** Of a Guid as this library gives it: lower case, with hyphens. */
export const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
