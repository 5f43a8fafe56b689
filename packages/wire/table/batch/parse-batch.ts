// Parses the envelope of POST /$batch: multipart body -> the requests in it (protocol: batches#rules, batches#requests).
// The rules between operations (count, partition, duplicates) and the grammar of targets and bodies are checked elsewhere.
import { ServiceError } from '#account';
import { TableError } from '#tables';
import { boundaryOf, mediaTypeOf } from '../../shared/multipart.js';
import { type BatchPart, PartReader } from '../../shared/part-reader.js';

export type { BatchPart };

export type BatchRequest =
  | { readonly kind: 'changeset'; readonly parts: readonly BatchPart[] }
  | { readonly kind: 'query'; readonly part: BatchPart };

/** The maximum of parts that are parsed: ten times the operations of a changeset, which is refused in any case. */
export const BATCH_PARTS_MAX = 1000;

function parse(contentType: string | undefined, body: Buffer): BatchRequest {
  if (mediaTypeOf(contentType) !== 'multipart/mixed') throw new TableError('MediaTypeNotSupported');
  const reader = new PartReader(body, 'lenient');
  const [section, ...others] = reader.split(reader.whole, boundaryOf(contentType), 2);
  if (!section || others.length > 0) throw new TableError('InvalidInput');
  const { headers, rest } = reader.mimeHead(section);
  const type = headers['content-type'];
  if (mediaTypeOf(type) === 'multipart/mixed') {
    const parts = reader.split(rest, boundaryOf(type), BATCH_PARTS_MAX).map(span => reader.part(span));
    if (parts.some(part => part.method === 'GET')) throw new TableError('InvalidInput');
    return { kind: 'changeset', parts };
  }
  const part = reader.part(section);
  if (part.method !== 'GET') throw new TableError('InvalidInput');
  return { kind: 'query', part };
}

/**
 * The contents of a batch: one changeset of writes, possibly empty, or one GET. Refuses other types than multipart/mixed with
 * MediaTypeNotSupported, and an envelope that is malformed, cut off or has other parts with InvalidInput.
 */
export function parseBatch(contentType: string | undefined, body: Buffer): BatchRequest {
  try {
    return parse(contentType, body);
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'InvalidInput'
      ? new TableError('InvalidInput')
      : error;
  }
}
