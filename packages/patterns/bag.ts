// Rows without a schema: values by the types that the service keeps.
import type { Instant } from './instant.js';

/** A value as its type in the table gives it. Int64 is a bigint, a Guid its text, and JSON, to the service, a string. */
export type BagValue = string | number | bigint | boolean | Instant | Uint8Array;
