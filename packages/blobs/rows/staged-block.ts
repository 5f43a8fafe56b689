// Uncommitted blocks, the rows D, and their common data, the row C. Blocks belong to the staging whose name they have: where the row C is gone or
// has another name, they are dead, so that one deletion drops all of them.
//
//   C   | form | name | length of ids, u32 | blocks, u32 | last put, i64 |
//   D   | form | name of the staging | length, size | content, or none | from here on the content itself |
import { decodeFields, type FieldReader, FieldWriter } from './fields.js';

export interface Staging {
  readonly name: string;
  /** All ids of a blob's blocks are equally long (protocol: blocks#put-block). */
  readonly idLength: number;
  readonly blocks: number;
  /** Uncommitted blocks are dropped a week after the last put (protocol: blocks#put-block). */
  readonly lastPut: bigint;
}

export interface StagedBlock {
  readonly staging: string;
  readonly length: number;
  readonly content: string | undefined;
  /** Where it has no content. */
  readonly inline: Buffer | undefined;
}

const FORM = 1;
const writer = new FieldWriter();

export function encodeStaging({ name, idLength, blocks, lastPut }: Staging): Buffer {
  const out = writer.begin();
  out.u8(FORM);
  out.text(name);
  out.u32(idLength);
  out.u32(blocks);
  out.tick(lastPut);
  return out.end();
}

const readStaging = (fields: FieldReader): Staging => ({
  name: fields.required(),
  idLength: fields.u32(),
  blocks: fields.u32(),
  lastPut: fields.tick(),
});

export const decodeStaging = (value: Buffer): Staging =>
  decodeFields(value, FORM, "A blob's staging", readStaging);

export function encodeStagedBlock({ staging, length, content, inline }: StagedBlock): Buffer {
  const out = writer.begin();
  out.u8(FORM);
  out.text(staging);
  out.size(length);
  out.text(content);
  if (inline !== undefined) out.bytes(inline);
  return out.end();
}

function readStagedBlock(fields: FieldReader): StagedBlock {
  const staging = fields.required();
  const length = fields.size();
  const content = fields.text();
  if (content !== undefined) return { staging, length, content, inline: undefined };
  return { staging, length, content, inline: fields.bytes(length) };
}

/** `inline` is a view of the value. */
export const decodeStagedBlock = (value: Buffer): StagedBlock =>
  decodeFields(value, FORM, 'An uncommitted block', readStagedBlock);
