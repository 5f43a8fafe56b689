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

interface OnContainer<Kind extends string> {
  readonly kind: Kind;
  readonly container: string;
}

export interface OnBlob<Kind extends string> extends OnContainer<Kind> {
  readonly blob: string;
}

/** A blob or, if a tick is given, its snapshot of that time. */
interface OnSnapshot<Kind extends string> extends OnBlob<Kind> {
  readonly snapshot: bigint | undefined;
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

export interface ListContainers {
  readonly kind: 'listContainers';
  /** Empty for all. */
  readonly prefix: string;
  /** The name where the page begins, from a marker; such a container need not exist. */
  readonly from: string | undefined;
  /** Containers of the page, 1 to 5,000. */
  readonly top: number;
}

export interface CreateContainer extends OnContainer<'createContainer'> {
  readonly metadata: Metadata;
  readonly publicAccess: PublicAccess;
}

export interface OnContainerIf<Kind extends string> extends OnContainer<Kind> {
  readonly conditions: ContainerConditions;
}

export interface SetContainerMetadata extends OnContainerIf<'setContainerMetadata'> {
  readonly metadata: Metadata;
}

export interface SetContainerAcl extends OnContainerIf<'setContainerAcl'> {
  readonly publicAccess: PublicAccess;
  readonly identifiers: readonly SignedIdentifier[];
}

export interface LeaseContainer extends OnContainerIf<'leaseContainer'> {
  readonly action: LeaseAction;
}

/** Where a page of blobs begins: at the first blob whose name and snapshot are not before these. */
export interface ListPosition {
  readonly blob: string;
  /** Undefined for all snapshots of it. */
  readonly snapshot: bigint | undefined;
}

export interface ListBlobs extends OnContainer<'listBlobs'> {
  readonly prefix: string;
  /** Empty for a flat list. */
  readonly delimiter: string;
  readonly from: ListPosition | undefined;
  /** Blobs and prefixes of the page, 1 to 5,000. */
  readonly top: number;
  readonly snapshots: boolean;
  readonly uncommitted: boolean;
}

export interface FindBlobsByTags {
  readonly kind: 'findBlobsByTags';
  /** Undefined for all containers of the account. */
  readonly container: string | undefined;
  readonly where: TagExpression;
  readonly from: { readonly container: string; readonly blob: string } | undefined;
  readonly top: number;
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

export interface PutBlockBlob extends OnBlob<'putBlockBlob'>, WholeBlob {
  readonly upload: Upload;
}

export interface PutAppendBlob extends OnBlob<'putAppendBlob'>, WholeBlob {}

export interface PutPageBlob extends OnBlob<'putPageBlob'>, WholeBlob {
  readonly length: number;
  readonly sequenceNumber: bigint;
}

/** `propertiesOfSource`: where the request sets none, those of the source. */
export interface PutBlobFromUrl extends OnBlob<'putBlobFromUrl'>, WholeBlob {
  readonly source: Source;
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer | undefined;
  readonly propertiesOfSource: boolean;
  /** The source's in place of `tags`. */
  readonly tagsOfSource: boolean;
}

export interface PutBlock extends OnBlob<'putBlock'> {
  /** Base64 as it was sent. */
  readonly id: string;
  readonly leaseId: string | undefined;
  readonly upload: Upload;
}

export interface PutBlockFromUrl extends OnBlob<'putBlockFromUrl'> {
  readonly id: string;
  readonly leaseId: string | undefined;
  readonly source: SourceRange;
}

export interface ListedBlockId {
  readonly from: 'committed' | 'uncommitted' | 'latest';
  readonly id: string;
}

export interface PutBlockList extends OnBlob<'putBlockList'>, WholeBlob {
  readonly blocks: readonly ListedBlockId[];
}

export interface GetBlockList extends OnSnapshot<'getBlockList'> {
  readonly committed: boolean;
  readonly uncommitted: boolean;
  readonly leaseId: string | undefined;
  readonly ifTags: TagExpression | undefined;
}

/** What an append requires of the length before and after it. */
export interface AppendConditions extends Conditions {
  readonly appendPosition: number | undefined;
  readonly maxSize: number | undefined;
}

export interface AppendBlock extends OnBlob<'appendBlock'> {
  readonly conditions: AppendConditions;
  readonly upload: Upload;
}

export interface AppendBlockFromUrl extends OnBlob<'appendBlockFromUrl'> {
  readonly conditions: AppendConditions;
  readonly source: SourceRange;
}

export interface SealBlob extends OnBlob<'sealBlob'> {
  readonly conditions: AppendConditions;
}

/** Ends are multiples of 512. */
export interface PageSpan {
  readonly from: number;
  readonly until: number;
}

export interface PutPages extends OnBlob<'putPages'> {
  readonly span: PageSpan;
  readonly conditions: PageConditions;
  readonly upload: Upload;
}

export interface ClearPages extends OnBlob<'clearPages'> {
  readonly span: PageSpan;
  readonly conditions: PageConditions;
}

export interface PutPagesFromUrl extends OnBlob<'putPagesFromUrl'> {
  readonly span: PageSpan;
  readonly conditions: PageConditions;
  readonly source: SourceRange;
}

export interface GetPageRanges extends OnSnapshot<'getPageRanges'> {
  /** Undefined for the whole blob. */
  readonly range: ByteRange | undefined;
  /** What changed since this snapshot. */
  readonly since: bigint | undefined;
  /** Where the page begins, from a marker. */
  readonly from: number | undefined;
  readonly top: number;
  readonly conditions: Conditions;
}

export interface SetSequenceNumber {
  readonly action: 'max' | 'update' | 'increment';
  /** 0 for `increment`. */
  readonly number: bigint;
}

/** `properties`: undefined where none was sent and only what page blobs have is set. */
export interface SetBlobProperties extends OnBlob<'setBlobProperties'> {
  readonly properties: ContentProperties | undefined;
  /** Of a page blob. */
  readonly length: number | undefined;
  readonly sequenceNumber: SetSequenceNumber | undefined;
  readonly conditions: Conditions;
}

export interface GetBlob extends OnSnapshot<'getBlob'> {
  readonly range: ByteRange | undefined;
  readonly conditions: Conditions;
}

export interface OnSnapshotIf<Kind extends string> extends OnSnapshot<Kind> {
  readonly conditions: Conditions;
}

export interface SetBlobMetadata extends OnBlob<'setBlobMetadata'> {
  readonly metadata: Metadata;
  readonly conditions: Conditions;
}

export interface SnapshotBlob extends OnBlob<'snapshotBlob'> {
  /** Undefined keeps those of the blob. */
  readonly metadata: Metadata | undefined;
  readonly conditions: Conditions;
}

export interface DeleteBlob extends OnSnapshotIf<'deleteBlob'> {
  /** What becomes of its snapshots; undefined: it must have none. */
  readonly snapshots: 'include' | 'only' | undefined;
  readonly tierConditions: TierConditions;
}

export interface LeaseBlob extends OnBlob<'leaseBlob'> {
  readonly action: LeaseAction;
  readonly conditions: Conditions;
}

/** `metadata`: undefined copies those of the source. `isSynchronous`: Copy Blob From URL, which checks and returns digests. */
export interface CopyBlob extends OnBlob<'copyBlob'> {
  readonly source: Source;
  readonly metadata: Metadata | undefined;
  readonly tags: Tags;
  /** The source's in place of `tags`. */
  readonly tagsOfSource: boolean;
  readonly tier: string | undefined;
  /** Undefined: as its source. */
  readonly seal: boolean | undefined;
  readonly isSynchronous: boolean;
  readonly md5: Buffer | undefined;
  readonly conditions: Conditions;
}

export interface AbortCopy extends OnBlob<'abortCopy'> {
  readonly copyId: string;
  readonly leaseId: string | undefined;
}

export interface SetTier extends OnSnapshot<'setTier'> {
  readonly tier: string;
  readonly leaseId: string | undefined;
  readonly ifTags: TagExpression | undefined;
}

export interface GetTags extends OnSnapshot<'getTags'> {
  readonly conditions: Conditions;
}

export interface SetTags extends OnBlob<'setTags'> {
  readonly tags: Tags;
  readonly conditions: Conditions;
}

export type Operation =
  | ListContainers
  | CreateContainer
  | OnContainerIf<'deleteContainer'>
  | OnContainerIf<'getContainerProperties'>
  | OnContainerIf<'getContainerMetadata'>
  | SetContainerMetadata
  | OnContainerIf<'getContainerAcl'>
  | SetContainerAcl
  | LeaseContainer
  | ListBlobs
  | FindBlobsByTags
  | PutBlockBlob
  | PutAppendBlob
  | PutPageBlob
  | PutBlobFromUrl
  | PutBlock
  | PutBlockFromUrl
  | PutBlockList
  | GetBlockList
  | AppendBlock
  | AppendBlockFromUrl
  | SealBlob
  | PutPages
  | ClearPages
  | PutPagesFromUrl
  | GetPageRanges
  | GetBlob
  | OnSnapshotIf<'getBlobProperties'>
  | SetBlobProperties
  | OnSnapshotIf<'getBlobMetadata'>
  | SetBlobMetadata
  | SnapshotBlob
  | DeleteBlob
  | LeaseBlob
  | CopyBlob
  | AbortCopy
  | SetTier
  | GetTags
  | SetTags
  | ServiceSettings;

export type OperationKind = Operation['kind'];
