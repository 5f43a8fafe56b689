// The operations of the Blob service as values: a discriminated union with one member for each REST operation, the forms of their
// parameters already checked. Times and ETags are ticks of 100 ns since 1970-01-01T00:00:00Z. Options of the rendering (whether a
// listing shows tags) belong to the wire, where they do not change what is read.
import type { Metadata, ServiceSettings, SignedIdentifier } from '#account';
import type {
  Conditions,
  ContainerConditions,
  PageConditions,
  SourceConditions,
  TierConditions,
} from './values/conditions.js';
import type { LeaseAction } from './values/lease.js';
import type { ContentProperties, PublicAccess } from './values/properties.js';
import type { TagExpression, Tags } from './values/tags.js';

interface OnContainer {
  readonly container: string;
}

export interface OnContainerIf extends OnContainer {
  readonly conditions: ContainerConditions;
}

export interface OnBlob extends OnContainer {
  readonly blob: string;
}

/** A blob or, if a tick is given, its snapshot of that time. */
interface OnSnapshot extends OnBlob {
  readonly snapshot: bigint | undefined;
}

export interface OnSnapshotIf extends OnSnapshot {
  readonly conditions: Conditions;
}

/** A content as it arrives: pieces are read once, in order, as fast as they are stored. */
export interface Upload {
  /** In bytes; undefined if the client did not send it. */
  readonly length: number | undefined;
  readonly pieces: AsyncIterable<Buffer>;
  /** The digests that the client sent; the content must match them. */
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer | undefined;
  /** Whether the answer includes the MD5. It is also computed where `md5` is given and where it becomes a property of the blob. */
  readonly wantsMd5: boolean;
}

/** A half-open range of bytes; without `until` it reaches the end. */
export interface ByteRange {
  readonly from: number;
  readonly until: number | undefined;
}

/** The source of a copy on this server, whose caller may read it. */
export interface Source {
  readonly account: string;
  readonly container: string;
  readonly blob: string;
  readonly snapshot: bigint | undefined;
  /** The URL as it was sent, without its signature: it becomes a property of the copy. */
  readonly url: string;
  readonly conditions: SourceConditions;
}

export interface SourceRange extends Source {
  readonly range: ByteRange;
  /** What the client says of the range. */
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer | undefined;
}

/** Where a page of blobs begins: at the first blob whose name and snapshot are not before these. */
export interface ListPosition {
  readonly blob: string;
  /** Undefined for all snapshots of it. */
  readonly snapshot: bigint | undefined;
}

/** What a write of a whole blob sets: what is not sent is cleared. */
export interface WholeBlob {
  readonly properties: ContentProperties;
  readonly metadata: Metadata;
  readonly tags: Tags;
  /** As it was sent: `Hot`, `Cool`, `Cold`, `Archive`. Undefined for the account's own. */
  readonly tier: string | undefined;
  readonly conditions: Conditions;
}

export interface ListedBlockId {
  readonly from: 'committed' | 'uncommitted' | 'latest';
  readonly id: string;
}

/** What an append requires of the length before and after it. */
export interface AppendConditions extends Conditions {
  readonly appendPosition: number | undefined;
  readonly maxSize: number | undefined;
}

/** Ends are multiples of 512. */
export interface PageSpan {
  readonly from: number;
  readonly until: number;
}

export interface SetSequenceNumber {
  readonly action: 'max' | 'update' | 'increment';
  /** 0 for `increment`. */
  readonly number: bigint;
}

interface OnPages extends OnBlob {
  readonly span: PageSpan;
  readonly conditions: PageConditions;
}

interface OnBlock extends OnBlob {
  /** Base64 as it was sent. */
  readonly id: string;
  readonly leaseId: string | undefined;
}

interface ListOf<Place> {
  /** Where the page begins, from a marker; nothing need be there. */
  readonly from: Place | undefined;
  /** Entries of the page, 1 to 5,000. */
  readonly top: number;
}

/** The members of each operation. */
interface Members {
  /** The prefix is empty for all. */
  listContainers: ListOf<string> & { readonly prefix: string };
  createContainer: OnContainer & { readonly metadata: Metadata; readonly publicAccess: PublicAccess };
  deleteContainer: OnContainerIf;
  getContainerProperties: OnContainerIf;
  getContainerMetadata: OnContainerIf;
  setContainerMetadata: OnContainerIf & { readonly metadata: Metadata };
  getContainerAcl: OnContainerIf;
  setContainerAcl: OnContainerIf & {
    readonly publicAccess: PublicAccess;
    readonly identifiers: readonly SignedIdentifier[];
  };
  leaseContainer: OnContainerIf & { readonly action: LeaseAction };
  /** The delimiter is empty for a flat list. */
  listBlobs: OnContainer &
    ListOf<ListPosition> & {
      readonly prefix: string;
      readonly delimiter: string;
      readonly snapshots: boolean;
      readonly uncommitted: boolean;
    };
  findBlobsByTags: ListOf<{ readonly container: string; readonly blob: string }> & {
    /** Undefined for all containers of the account. */
    readonly container: string | undefined;
    readonly where: TagExpression;
  };
  putBlockBlob: OnBlob & WholeBlob & { readonly upload: Upload };
  putAppendBlob: OnBlob & WholeBlob;
  putPageBlob: OnBlob & WholeBlob & { readonly length: number; readonly sequenceNumber: bigint };
  putBlobFromUrl: OnBlob &
    WholeBlob & {
      readonly source: Source;
      readonly md5: Buffer | undefined;
      readonly crc64: Buffer | undefined;
      /** Where the request sets none, those of the source. */
      readonly propertiesOfSource: boolean;
      /** The source's in place of `tags`. */
      readonly tagsOfSource: boolean;
    };
  putBlock: OnBlock & { readonly upload: Upload };
  putBlockFromUrl: OnBlock & { readonly source: SourceRange };
  putBlockList: OnBlob & WholeBlob & { readonly blocks: readonly ListedBlockId[] };
  getBlockList: OnSnapshot & {
    readonly committed: boolean;
    readonly uncommitted: boolean;
    readonly leaseId: string | undefined;
    readonly ifTags: TagExpression | undefined;
  };
  appendBlock: OnBlob & { readonly conditions: AppendConditions; readonly upload: Upload };
  appendBlockFromUrl: OnBlob & { readonly conditions: AppendConditions; readonly source: SourceRange };
  sealBlob: OnBlob & { readonly conditions: AppendConditions };
  putPages: OnPages & { readonly upload: Upload };
  clearPages: OnPages;
  putPagesFromUrl: OnPages & { readonly source: SourceRange };
  getPageRanges: OnSnapshotIf &
    ListOf<number> & {
      /** Undefined for the whole blob. */
      readonly range: ByteRange | undefined;
      /** What changed since this snapshot. */
      readonly since: bigint | undefined;
    };
  getBlob: OnSnapshotIf & { readonly range: ByteRange | undefined };
  getBlobProperties: OnSnapshotIf;
  setBlobProperties: OnBlob & {
    /** Undefined where none was sent and only what page blobs have is set. */
    readonly properties: ContentProperties | undefined;
    /** Of a page blob. */
    readonly length: number | undefined;
    readonly sequenceNumber: SetSequenceNumber | undefined;
    readonly conditions: Conditions;
  };
  getBlobMetadata: OnSnapshotIf;
  setBlobMetadata: OnBlob & { readonly metadata: Metadata; readonly conditions: Conditions };
  /** Without metadata it has those of the blob. */
  snapshotBlob: OnBlob & { readonly metadata: Metadata | undefined; readonly conditions: Conditions };
  deleteBlob: OnSnapshotIf & {
    /** What becomes of its snapshots; undefined: it must have none. */
    readonly snapshots: 'include' | 'only' | undefined;
    readonly tierConditions: TierConditions;
  };
  leaseBlob: OnBlob & { readonly action: LeaseAction; readonly conditions: Conditions };
  copyBlob: OnBlob & {
    readonly source: Source;
    /** Undefined copies those of the source. */
    readonly metadata: Metadata | undefined;
    readonly tags: Tags;
    /** The source's in place of `tags`. */
    readonly tagsOfSource: boolean;
    readonly tier: string | undefined;
    /** Undefined: as its source. */
    readonly seal: boolean | undefined;
    /** Copy Blob From URL, which checks and returns digests. */
    readonly isSynchronous: boolean;
    readonly md5: Buffer | undefined;
    readonly conditions: Conditions;
  };
  abortCopy: OnBlob & { readonly copyId: string; readonly leaseId: string | undefined };
  setTier: OnSnapshot & {
    readonly tier: string;
    readonly leaseId: string | undefined;
    readonly ifTags: TagExpression | undefined;
  };
  getTags: OnSnapshotIf;
  setTags: OnBlob & { readonly tags: Tags; readonly conditions: Conditions };
}

export type Operation =
  | { readonly [Kind in keyof Members]: { readonly kind: Kind } & Members[Kind] }[keyof Members]
  | ServiceSettings;

export type OperationKind = Operation['kind'];

export type OperationOf<Kind extends OperationKind> = Extract<Operation, { readonly kind: Kind }>;
