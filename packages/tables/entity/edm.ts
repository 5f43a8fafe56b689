// The EDM types of the Table service and their values in memory.
// Text forms live in edm-text.ts, stored forms in entity-codec.ts.

/** The types a property may have (protocol: data-model#types). */
export type EdmType =
  | 'Edm.String'
  | 'Edm.Int32'
  | 'Edm.Int64'
  | 'Edm.Double'
  | 'Edm.Boolean'
  | 'Edm.DateTime'
  | 'Edm.Guid'
  | 'Edm.Binary';

/**
 * A typed value. Int64 lies in -2^63 .. 2^63-1. DateTime is in ticks of 100 ns since 1970-01-01T00:00:00Z, negative
 * before it. Guid is lower-case text with hyphens.
 */
export type EdmValue =
  | { readonly type: 'Edm.String' | 'Edm.Guid'; readonly value: string }
  | { readonly type: 'Edm.Int32' | 'Edm.Double'; readonly value: number }
  | { readonly type: 'Edm.Int64' | 'Edm.DateTime'; readonly value: bigint }
  | { readonly type: 'Edm.Boolean'; readonly value: boolean }
  | { readonly type: 'Edm.Binary'; readonly value: Buffer };

export type Property = EdmValue & {
  readonly name: string;
  /** The value's JSON literal where it is known already, byte for byte as edm-text.ts writes it. */
  readonly literal?: string | undefined;
};
