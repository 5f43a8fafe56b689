// The head of a blob or of a snapshot: its properties, and where its content is. The value of the rows A and B.
//
//   +------+------+-------+------+---------------+---------+--------+-----------+------------+----------------------------------+
//   | form | type | flags | etag | last modified | created | length | snapshots | properties | what the flags name, in order    |
//   +------+------+-------+------+---------------+---------+--------+-----------+------------+----------------------------------+
//     u8     u8     u8      i64    i64             i64       size     u32         mask, texts
//
// A small content is the end of the row itself. A larger one of a block blob is a list of pieces in contents, in order:
// one for each committed block, or one without an id for a blob that was put at once. A long list is a content again,
// the manifest. Append and page blobs have extents in rows of their own, in layers: the first one is written to, and
// snapshots share the ones below it.
import type { Metadata } from '#account';
import type { Lease } from '../values/conditions.js';
import type { BlobType, ContentProperties, CopyState } from '../values/properties.js';
import type { Tags } from '../values/tags.js';
import { decodeFields, type FieldReader, FieldWriter } from './fields.js';

export interface Piece {
  /** In Base64, as it was sent; empty for what is no block. */
  readonly block: string;
  readonly length: number;
  /** Empty for a piece of the head's own content. */
  readonly content: string;
  /** Where in that content the piece begins. */
  readonly from: number;
}

function writePieces(out: FieldWriter, pieces: readonly Piece[]): void {
  out.u32(pieces.length);
  for (const { block, length, content, from } of pieces) {
    out.text(block);
    out.size(length);
    out.text(content);
    out.size(from);
  }
}

function readPieces(fields: FieldReader): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let count = fields.u32(); count > 0; count--)
    pieces.push({
      block: fields.required(),
      length: fields.size(),
      content: fields.required(),
      from: fields.size(),
    });
  return pieces;
}

const FORM = 1;

export function encodeManifest(pieces: readonly Piece[]): Buffer {
  const out = new FieldWriter();
  out.u8(FORM);
  writePieces(out, pieces);
  return out.end();
}

export const decodeManifest = (bytes: Buffer): readonly Piece[] =>
  decodeFields(bytes, FORM, "A blob's list of blocks", readPieces);

/** A list of pieces that is a content. */
export interface Manifest {
  readonly content: string;
  readonly bytes: number;
}

/** Extents of a layer that begin at its limit or beyond it are hidden: the blob was shorter once. */
export interface Layer {
  readonly name: string;
  readonly limit: number;
}

export const UNLIMITED = Number.MAX_SAFE_INTEGER;
export const unlimited = (name: string): Layer => ({ name, limit: UNLIMITED });

export const areSameLayers = (some: readonly Layer[], others: readonly Layer[]): boolean =>
  some.length === others.length &&
  some.every(({ name, limit }, at) => name === others[at]?.name && limit === others[at]?.limit);

export interface Tier {
  readonly name: string;
  readonly changed: bigint;
}

export interface Head {
  readonly type: BlobType;
  readonly etag: bigint;
  readonly lastModified: bigint;
  readonly created: bigint;
  readonly length: number;
  /** How many the blob has; 0 in the head of a snapshot. */
  readonly snapshots: number;
  readonly properties: ContentProperties;
  readonly metadata: Metadata;
  readonly tags: Tags;
  readonly lease: Lease | undefined;
  readonly tier: Tier | undefined;
  readonly copy: CopyState | undefined;
  readonly isSealed: boolean;
  /** Of an append blob. */
  readonly blocks: number;
  /** Of a page blob. */
  readonly sequenceNumber: bigint;
  /** The upper ones first. */
  readonly layers: readonly Layer[];
  readonly manifest: Manifest | undefined;
  readonly pieces: readonly Piece[];
  readonly inline: Buffer | undefined;
}

const TYPES: readonly BlobType[] = ['BlockBlob', 'AppendBlob', 'PageBlob'];
const STATUSES: readonly CopyState['status'][] = ['success', 'aborted', 'failed', 'pending'];
const MD5_BYTES = 16;

const SEALED = 1;
const LEASE = 2;
const TIER = 4;
const COPY = 8;
const TAGS = 16;
const METADATA = 32;
const INLINE = 64;
const MANIFEST = 128;

const writer = new FieldWriter();

export function encodeHead(head: Head): Buffer {
  const { lease, tier, copy, tags, metadata, manifest, inline } = head;
  const flags =
    (head.isSealed ? SEALED : 0) |
    (lease === undefined ? 0 : LEASE) |
    (tier === undefined ? 0 : TIER) |
    (copy === undefined ? 0 : COPY) |
    (tags.length === 0 ? 0 : TAGS) |
    (metadata.length === 0 ? 0 : METADATA) |
    (inline === undefined ? 0 : INLINE) |
    (manifest === undefined ? 0 : MANIFEST);
  const out = writer.begin();
  out.u8(FORM);
  out.u8(TYPES.indexOf(head.type));
  out.u8(flags);
  out.tick(head.etag);
  out.tick(head.lastModified);
  out.tick(head.created);
  out.size(head.length);
  out.u32(head.snapshots);
  writeProperties(out, head.properties);
  if (lease !== undefined) writeLease(out, lease);
  if (tier !== undefined) {
    out.text(tier.name);
    out.tick(tier.changed);
  }
  if (copy !== undefined) writeCopy(out, copy);
  if (tags.length > 0) writeTags(out, tags);
  if (metadata.length > 0) writeMetadata(out, metadata);
  writeContent(out, head);
  if (manifest !== undefined) {
    out.text(manifest.content);
    out.size(manifest.bytes);
  }
  if (inline !== undefined) out.bytes(inline);
  return out.end();
}

/** The fields of each type. */
function writeContent(out: FieldWriter, { type, blocks, sequenceNumber, layers, pieces }: Head): void {
  if (type === 'BlockBlob') {
    writePieces(out, pieces);
    return;
  }
  if (type === 'AppendBlob') out.u32(blocks);
  else out.tick(sequenceNumber);
  out.u32(layers.length);
  for (const { name, limit } of layers) {
    out.text(name);
    out.size(limit);
  }
}

function writeProperties(out: FieldWriter, properties: ContentProperties): void {
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl, contentMd5 } =
    properties;
  const mask =
    (contentType === undefined ? 0 : 1) |
    (contentEncoding === undefined ? 0 : 2) |
    (contentLanguage === undefined ? 0 : 4) |
    (contentDisposition === undefined ? 0 : 8) |
    (cacheControl === undefined ? 0 : 16) |
    (contentMd5 === undefined ? 0 : contentMd5.length === MD5_BYTES ? 32 : 64);
  out.u8(mask);
  if (contentType !== undefined) out.text(contentType);
  if (contentEncoding !== undefined) out.text(contentEncoding);
  if (contentLanguage !== undefined) out.text(contentLanguage);
  if (contentDisposition !== undefined) out.text(contentDisposition);
  if (cacheControl !== undefined) out.text(cacheControl);
  if (contentMd5 === undefined) return;
  // A client may name one of another length, which is kept too.
  if (contentMd5.length !== MD5_BYTES) out.u32(contentMd5.length);
  out.bytes(contentMd5);
}

function readProperties(fields: FieldReader): ContentProperties {
  const mask = fields.u8();
  const one = (bit: number): string | undefined => ((mask & bit) === 0 ? undefined : fields.required());
  return {
    contentType: one(1),
    contentEncoding: one(2),
    contentLanguage: one(4),
    contentDisposition: one(8),
    cacheControl: one(16),
    contentMd5: readMd5(fields, mask),
  };
}

function readMd5(fields: FieldReader, mask: number): Buffer | undefined {
  if ((mask & 32) !== 0) return Buffer.from(fields.bytes(MD5_BYTES));
  return (mask & 64) === 0 ? undefined : Buffer.from(fields.bytes(fields.u32()));
}

function writeLease(out: FieldWriter, { id, seconds, expires, broken }: Lease): void {
  out.text(id);
  out.u32(seconds);
  out.tick(expires);
  out.tick(broken);
}

const readLease = (fields: FieldReader): Lease => ({
  id: fields.required(),
  seconds: fields.u32(),
  expires: fields.tick(),
  broken: fields.tick(),
});

function writeCopy(out: FieldWriter, { id, source, status, copied, total, completed }: CopyState): void {
  out.text(id);
  out.text(source);
  out.u8(STATUSES.indexOf(status));
  out.size(copied);
  out.size(total);
  out.tick(completed ?? 0n);
}

function readCopy(fields: FieldReader): CopyState {
  const id = fields.required();
  const source = fields.required();
  const status = STATUSES[fields.u8()];
  if (status === undefined) throw new RangeError('The status of the copy is none.');
  const copied = fields.size();
  const total = fields.size();
  const completed = fields.tick();
  return { id, source, status, copied, total, completed: completed === 0n ? undefined : completed };
}

function writeTags(out: FieldWriter, tags: Tags): void {
  out.u8(tags.length);
  for (const [key, value] of tags) {
    out.text(key);
    out.text(value);
  }
}

function readTags(fields: FieldReader): Tags {
  const tags: [string, string][] = [];
  for (let count = fields.u8(); count > 0; count--) tags.push([fields.required(), fields.required()]);
  return tags;
}

function writeMetadata(out: FieldWriter, metadata: Metadata): void {
  out.u32(metadata.length);
  for (const { name, value } of metadata) {
    out.text(name);
    out.text(value);
  }
}

function readMetadata(fields: FieldReader): Metadata {
  const pairs: { name: string; value: string }[] = [];
  for (let count = fields.u32(); count > 0; count--)
    pairs.push({ name: fields.required(), value: fields.required() });
  return pairs;
}

function readLayers(fields: FieldReader): readonly Layer[] {
  const layers: Layer[] = [];
  for (let count = fields.u32(); count > 0; count--)
    layers.push({ name: fields.required(), limit: fields.size() });
  return layers;
}

const NO_METADATA: Metadata = [];
const NO_TAGS: Tags = [];
const NO_LAYERS: readonly Layer[] = [];
const NO_PIECES: readonly Piece[] = [];

/** `inline` is a view of the value. */
export const decodeHead = (value: Buffer): Head => decodeFields(value, FORM, "A blob's head", readHead);

function readHead(fields: FieldReader): Head {
  const type = TYPES[fields.u8()];
  if (type === undefined) throw new RangeError('The type is none.');
  const flags = fields.u8();
  const has = (flag: number): boolean => (flags & flag) !== 0;
  return {
    type,
    etag: fields.tick(),
    lastModified: fields.tick(),
    created: fields.tick(),
    length: fields.size(),
    snapshots: fields.u32(),
    properties: readProperties(fields),
    lease: has(LEASE) ? readLease(fields) : undefined,
    tier: has(TIER) ? { name: fields.required(), changed: fields.tick() } : undefined,
    copy: has(COPY) ? readCopy(fields) : undefined,
    tags: has(TAGS) ? readTags(fields) : NO_TAGS,
    metadata: has(METADATA) ? readMetadata(fields) : NO_METADATA,
    isSealed: has(SEALED),
    blocks: type === 'AppendBlob' ? fields.u32() : 0,
    sequenceNumber: type === 'PageBlob' ? fields.tick() : 0n,
    layers: type === 'BlockBlob' ? NO_LAYERS : readLayers(fields),
    pieces: type === 'BlockBlob' ? readPieces(fields) : NO_PIECES,
    manifest: has(MANIFEST) ? { content: fields.required(), bytes: fields.size() } : undefined,
    inline: has(INLINE) ? fields.rest() : undefined,
  };
}

/** Whether a blob has tags, without decoding the other fields: find by tags checks every blob. */
export const hasTags = (value: Buffer): boolean => value[0] === FORM && ((value[2] ?? 0) & TAGS) !== 0;
