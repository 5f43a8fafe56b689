// The pieces of a block blob's content, in order: one for each committed block, or one without an id for a blob that was put at once. A list of them is part of
// the head, or a content of its own.
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

export function writePieces(out: FieldWriter, pieces: readonly Piece[]): void {
  out.u32(pieces.length);
  for (const { block, length, content, from } of pieces) {
    out.text(block);
    out.size(length);
    out.text(content);
    out.size(from);
  }
}

export function readPieces(fields: FieldReader): readonly Piece[] {
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
