// The outcomes of the Blob service's operations, as values. The wire renders them. All times and ETags are in ticks of 100 ns since
// 1970-01-01T00:00:00Z.
import type { Metadata, ServiceSettingsOutcome, SignedIdentifier } from '#account';
import type { ListPosition } from './operation.js';
import type { LeaseState } from './values/conditions.js';
import type { BlobProperties, PublicAccess, Stamp } from './values/properties.js';
import type { Tags } from './values/tags.js';

/** What a container shows to its readers. */
export interface SeenContainer {
  readonly name: string;
  readonly stamp: Stamp;
  readonly metadata: Metadata;
  readonly publicAccess: PublicAccess;
  readonly lease: LeaseState;
}

/** An entry of a list of blobs, in the order of the list. */
export type ListedBlob =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: BlobProperties }
  | { readonly kind: 'prefix'; readonly name: string }
  /** A blob with only uncommitted blocks. */
  | { readonly kind: 'uncommitted'; readonly name: string };

export interface SeenBlock {
  readonly id: string;
  readonly length: number;
}

/** The digests of what a request brought. */
export interface Digests {
  /** Undefined unless requested: it takes nearly three times as long as a CRC64. */
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer;
}

export interface FoundBlob {
  readonly container: string;
  readonly blob: string;
  readonly tags: Tags;
}

export type Outcome =
  | {
      readonly kind: 'containers';
      readonly containers: readonly SeenContainer[];
      readonly next: string | undefined;
    }
  | { readonly kind: 'containerCreated'; readonly stamp: Stamp }
  | { readonly kind: 'containerDeleted' }
  | { readonly kind: 'container'; readonly container: SeenContainer }
  | { readonly kind: 'containerMetadata'; readonly stamp: Stamp; readonly metadata: Metadata }
  | { readonly kind: 'containerSet'; readonly stamp: Stamp }
  | {
      readonly kind: 'acl';
      readonly stamp: Stamp;
      readonly publicAccess: PublicAccess;
      readonly identifiers: readonly SignedIdentifier[];
    }
  /** Of a container or a blob: `id` after acquire, renew and change, `seconds` after break. */
  | {
      readonly kind: 'leased';
      readonly action: 'acquire' | 'renew' | 'change' | 'release' | 'break';
      readonly stamp: Stamp;
      readonly id: string | undefined;
      readonly seconds: number | undefined;
    }
  | {
      readonly kind: 'blobs';
      readonly entries: readonly ListedBlob[];
      readonly next: ListPosition | undefined;
    }
  | {
      readonly kind: 'found';
      readonly blobs: readonly FoundBlob[];
      readonly next: { readonly container: string; readonly blob: string } | undefined;
    }
  /** Put Blob, Put Block List, Put Blob From URL: `digests` of the content, of the list, or of nothing. */
  | { readonly kind: 'blobPut'; readonly stamp: Stamp; readonly digests: Digests | undefined }
  | { readonly kind: 'blockPut'; readonly digests: Digests }
  | {
      readonly kind: 'blocks';
      /** Undefined where nothing is committed. */
      readonly committedBlob: { readonly stamp: Stamp; readonly length: number } | undefined;
      readonly committed: readonly SeenBlock[] | undefined;
      readonly uncommitted: readonly SeenBlock[] | undefined;
    }
  | {
      readonly kind: 'appended';
      readonly stamp: Stamp;
      readonly digests: Digests;
      readonly offset: number;
      readonly blocks: number;
    }
  | { readonly kind: 'sealed'; readonly stamp: Stamp; readonly length: number }
  | {
      readonly kind: 'pagesPut';
      readonly stamp: Stamp;
      readonly digests: Digests | undefined;
      readonly sequenceNumber: bigint;
    }
  | {
      readonly kind: 'pageRanges';
      readonly stamp: Stamp;
      readonly length: number;
      /** In order; half-open. */
      readonly ranges: readonly {
        readonly from: number;
        readonly until: number;
        readonly isClear: boolean;
      }[];
      readonly next: number | undefined;
    }
  /** `content` must be iterated or returned, because it holds its rows. `range`: the requested part. */
  | {
      readonly kind: 'blobContent';
      readonly blob: BlobProperties;
      readonly range: { readonly from: number; readonly until: number } | undefined;
      readonly content: Buffer | AsyncIterable<Buffer>;
    }
  | { readonly kind: 'blobProperties'; readonly blob: BlobProperties }
  | { readonly kind: 'blobMetadata'; readonly stamp: Stamp; readonly metadata: Metadata }
  | { readonly kind: 'blobPropertiesSet'; readonly stamp: Stamp; readonly sequenceNumber: bigint | undefined }
  | { readonly kind: 'blobMetadataSet'; readonly stamp: Stamp }
  | { readonly kind: 'snapshotTaken'; readonly stamp: Stamp; readonly snapshot: bigint }
  | { readonly kind: 'blobDeleted' }
  | {
      readonly kind: 'copied';
      readonly stamp: Stamp;
      readonly copyId: string;
      readonly digests: Digests | undefined;
    }
  | { readonly kind: 'tierSet' }
  | { readonly kind: 'tags'; readonly tags: Tags }
  | { readonly kind: 'tagsSet' }
  | ServiceSettingsOutcome;
