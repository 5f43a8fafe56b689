// Extents, the rows E: parts of an append or a page blob, each where its key says. Extents of one layer do not overlap.
//
//   | form | length, size | content, or none | where it begins there, size | from here on the content itself |
//
// An extent with neither consists of zeros: it hides what lower layers have there.
import { decodeFields, type FieldReader, FieldWriter } from './fields.js';

/** Of a page blob: what overlaps a range begins at most so far to its left. */
export const PAGE_EXTENT_BYTES_MAX = 4 * 1024 * 1024;
/** Of an append blob. */
export const EXTENT_BYTES_MAX = 128 * 1024 * 1024;

export interface Extent {
  readonly length: number;
  readonly content: string | undefined;
  readonly from: number;
  readonly inline: Buffer | undefined;
}

export const cleared = (length: number): Extent => ({
  length,
  content: undefined,
  from: 0,
  inline: undefined,
});
export const isClear = ({ content, inline }: Extent): boolean =>
  content === undefined && inline === undefined;

/** The part of an extent from `from` until `until` of it. */
export const partOf = (extent: Extent, from: number, until: number): Extent => ({
  length: until - from,
  content: extent.content,
  from: extent.content === undefined ? 0 : extent.from + from,
  inline: extent.inline?.subarray(from, until),
});

const FORM = 1;
const CLEAR = 0;
const CONTENT = 1;
const INLINE = 2;
const writer = new FieldWriter();

export function encodeExtent({ length, content, from, inline }: Extent): Buffer {
  const out = writer.begin();
  out.u8(FORM);
  out.u8(content !== undefined ? CONTENT : inline !== undefined ? INLINE : CLEAR);
  out.size(length);
  if (content !== undefined) {
    out.text(content);
    out.size(from);
  } else if (inline !== undefined) out.bytes(inline);
  return out.end();
}

function readExtent(fields: FieldReader): Extent {
  const kind = fields.u8();
  const length = fields.size();
  if (kind === CLEAR) return cleared(length);
  if (kind === CONTENT) return { length, content: fields.required(), from: fields.size(), inline: undefined };
  if (kind !== INLINE) throw new RangeError('The kind is none.');
  return { length, content: undefined, from: 0, inline: fields.bytes(length) };
}

/** `inline` is a view of the value. */
export const decodeExtent = (value: Buffer): Extent => decodeFields(value, FORM, 'An extent', readExtent);
