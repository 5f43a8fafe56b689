// The properties of a blob that readers see.
import type { Metadata } from '#account';
import type { LeaseState } from './conditions.js';

/** Of a container: `container` lets anybody list and read its blobs, `blob` read them, `private` nothing. */
export type PublicAccess = 'private' | 'blob' | 'container';

/** In ticks. Answers have the time of the last change in whole seconds. */
export interface Stamp {
  readonly etag: bigint;
  readonly lastModified: bigint;
}

/** As they were sent; undefined for one that was not. */
export interface ContentProperties {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentLanguage: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly cacheControl: string | undefined;
  /** 16 bytes. */
  readonly contentMd5: Buffer | undefined;
}

export const NO_PROPERTIES: ContentProperties = {
  contentType: undefined,
  contentEncoding: undefined,
  contentLanguage: undefined,
  contentDisposition: undefined,
  cacheControl: undefined,
  contentMd5: undefined,
};

/** The copy that a blob came from, while its content is that copy's. */
export interface CopyState {
  readonly id: string;
  /** The URL, without its signature. */
  readonly source: string;
  readonly status: 'success' | 'aborted' | 'failed' | 'pending';
  readonly copied: number;
  readonly total: number;
  readonly completed: bigint | undefined;
}

export type BlobType = 'BlockBlob' | 'AppendBlob' | 'PageBlob';

export interface BlobProperties {
  readonly type: BlobType;
  readonly stamp: Stamp;
  readonly created: bigint;
  /** In bytes. */
  readonly length: number;
  readonly properties: ContentProperties;
  readonly metadata: Metadata;
  readonly tagCount: number;
  /** Read with a list that asks for them. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** Undefined on a snapshot. */
  readonly lease: LeaseState | undefined;
  readonly copy: CopyState | undefined;
  /** Undefined for the account's own. */
  readonly tier: { readonly name: string; readonly changed: bigint } | undefined;
  /** Of a snapshot, when it was taken. */
  readonly snapshot: bigint | undefined;
  /** Of an append blob. */
  readonly committedBlocks: number | undefined;
  readonly isSealed: boolean;
  /** Of a page blob. */
  readonly sequenceNumber: bigint | undefined;
}
