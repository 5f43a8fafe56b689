// Messages between the server and its thread for the MD5 of long bodies (md5-thread.ts, md5-thread-entry.ts).

/** Messages about one body come in order. */
export type Md5Job =
  /** So many bytes more, which must not change before the answer. */
  | {
      readonly kind: 'update';
      readonly sum: number;
      readonly memory: SharedArrayBuffer;
      readonly length: number;
    }
  | { readonly kind: 'end'; readonly sum: number }
  /** Without an answer. */
  | { readonly kind: 'drop'; readonly sum: number };

/** The answer to an update, or with the digest to an end. */
export interface Md5Done {
  readonly sum: number;
  readonly md5: Uint8Array | undefined;
}
