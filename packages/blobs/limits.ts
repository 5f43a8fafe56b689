// The limits of the Blob service (protocol: blobs#limits, containers#names) and the checks of values against them: each is made once, by
// the parser of operations or by the operation.
import { type Metadata, metadataFault } from '#account';
import { BlobError } from './blob-error.js';
import type { Tags } from './values/tags.js';

const MIB = 1024 * 1024;

const CONTAINER_NAME_LENGTH_MIN = 3;
const CONTAINER_NAME_LENGTH_MAX = 63;
const BLOB_NAME_LENGTH_MAX = 1024;
const BLOB_NAME_SEGMENTS_MAX = 254;
export const LIST_PAGE_MAX = 5000;
export const PUT_BLOB_BYTES_MAX = 5000 * MIB;
export const BLOCK_BYTES_MAX = 4000 * MIB;
export const APPEND_BYTES_MAX = 100 * MIB;
export const APPENDED_BLOCKS_MAX = 50_000;
export const COMMITTED_BLOCKS_MAX = 50_000;
export const UNCOMMITTED_BLOCKS_MAX = 100_000;
/** Before they are written in Base64. */
const BLOCK_ID_BYTES_MAX = 64;
export const PAGE_BYTES = 512;
export const PUT_PAGES_BYTES_MAX = 4 * MIB;
const PAGE_BLOB_BYTES_MAX = 8 * MIB * MIB;
export const SEQUENCE_NUMBER_MAX = 2n ** 63n - 1n;
/** Of Copy Blob From URL. */
export const SYNCHRONOUS_COPY_BYTES_MAX = 256 * MIB;
const TAGS_MAX = 10;
const TAG_KEY_LENGTH_MAX = 128;
const TAG_VALUE_LENGTH_MAX = 256;

const CONTAINER_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SYSTEM_CONTAINERS: ReadonlySet<string> = new Set(['$root', '$logs', '$web']);

/** Length before characters, as for queues. */
export function checkContainerName(name: string): void {
  if (SYSTEM_CONTAINERS.has(name)) return;
  if (name.length < CONTAINER_NAME_LENGTH_MIN || name.length > CONTAINER_NAME_LENGTH_MAX)
    throw new BlobError('OutOfRangeInput:ResourceName');
  if (!CONTAINER_NAME.test(name)) throw new BlobError('InvalidResourceName');
}

export function checkBlobName(name: string): void {
  if (name.length < 1 || name.length > BLOB_NAME_LENGTH_MAX)
    throw new BlobError('OutOfRangeInput:ResourceName');
  let segments = 1;
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) segments += 1;
  if (segments > BLOB_NAME_SEGMENTS_MAX) throw new BlobError('InvalidUri');
}

/** @throws BlobError where metadata breaks its limits. */
export function checkBlobMetadata(metadata: Metadata): void {
  const fault = metadataFault(metadata);
  if (fault) throw new BlobError(fault);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Base64 of 1 to 64 bytes (protocol: blocks#put-block). */
export function checkBlockId(id: string): void {
  const refused = (reason: string): BlobError =>
    new BlobError('InvalidQueryParameterValue', { name: 'blockid', value: id, reason });
  if (id === '' || !BASE64.test(id)) throw refused('Not a valid base64 string.');
  if (Buffer.byteLength(id, 'base64') > BLOCK_ID_BYTES_MAX)
    throw refused(`Block ID length cannot exceed ${BLOCK_ID_BYTES_MAX}.`);
}

/** Letters, digits and some signs (protocol: blobs#tags). */
const TAG_TEXT = /^[A-Za-z0-9 +\-./:=_]*$/;

export function checkTags(tags: Tags): void {
  if (tags.length > TAGS_MAX) throw new BlobError('TagsTooLarge');
  const keys = new Set<string>();
  for (const [key, value] of tags) {
    if (key === '') throw new BlobError('EmptyTagName');
    if (key.length > TAG_KEY_LENGTH_MAX || value.length > TAG_VALUE_LENGTH_MAX)
      throw new BlobError('TagsTooLarge');
    if (!TAG_TEXT.test(key) || !TAG_TEXT.test(value)) throw new BlobError('InvalidTag');
    keys.add(key);
  }
  if (keys.size < tags.length) throw new BlobError('InvalidTag');
}

const invalidHeader = (name: string, value: string | number): BlobError =>
  new BlobError('InvalidHeaderValue', { name, value });

/** Whole pages, at most 8 TiB. */
export function checkPageBlobLength(length: number): void {
  const isValid =
    Number.isSafeInteger(length) && length >= 0 && length % PAGE_BYTES === 0 && length <= PAGE_BLOB_BYTES_MAX;
  if (!isValid) throw invalidHeader('x-ms-blob-content-length', length);
}

/** The tier whose content is not read. */
export const ARCHIVE = 'Archive';

/** The words for tiers (protocol: blobs#tiers). */
export const TIERS: ReadonlySet<string> = new Set(['Hot', 'Cool', 'Cold', ARCHIVE, 'Smart']);

export function checkTier(tier: string | undefined): void {
  if (tier !== undefined && !TIERS.has(tier)) throw invalidHeader('x-ms-access-tier', tier);
}
