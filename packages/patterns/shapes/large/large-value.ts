// A large value as its row has it: the bytes, if they are few, or the name, length and hash of the blob that has them.

import { fromUtf8, toHex, toUtf8 } from '../../values/bytes.js';
import { isObject } from '../../values/is-object.js';
import { refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { type Joined, longPieces, type Piece, type Pieces } from '../../values/pieces.js';
import { inPieces, type Property } from '../../values/property.js';
import { ENTITY_BYTES_MAX } from '../../values/wire-property.js';

/** Where a value in a blob is, and what it is. */
export interface BlobPointer {
  readonly blob: string;
  readonly length: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What a large property of a row has: a handle of the value, which `content` reads. `T` is the type of that. */
export interface LargeValue<T extends Uint8Array | string = Uint8Array | string> {
  /** Bytes; of a text those of its UTF-8. */
  readonly length: number;
  /** Undefined if the row has the bytes. */
  readonly pointer: BlobPointer | undefined;
  /** Undefined if a blob has them. */
  readonly bytes: Uint8Array | undefined;
  readonly '~content'?: T;
}

/** A property whose values may be large. */
export type LargeProperty<T extends Uint8Array | string> = Property<LargeValue<T>, 'required', 'opaque'>;

/** From which size on a value is in a blob. */
interface LargeOptions {
  /** Values of more bytes than this are in blobs: 32,768 by default. */
  readonly over?: number;
}

/** What of a property is large, by its definition. */
export interface LargeShape {
  readonly over: number;
  readonly isText: boolean;
}

const OVER_BYTES = 32_768;

const SHAPES = new WeakMap<object, LargeShape>();

/** Undefined for what is no large property. */
export const largeShapeOf = ({ pieces }: Property): LargeShape | undefined => pieces && SHAPES.get(pieces);

/** The property that has the pointer. */
const pointerName = (wire: string): string => `${wire}Blob`;

/** The handle of bytes that stand in the row. */
export const inRow = (bytes: Uint8Array): LargeValue => ({ length: bytes.length, pointer: undefined, bytes });
export const inBlob = (pointer: BlobPointer): LargeValue => ({
  length: pointer.length,
  pointer,
  bytes: undefined,
});

const isLarge = (value: unknown): value is LargeValue =>
  isObject(value) && !(value instanceof Uint8Array) && 'length' in value && 'pointer' in value;

function checked(value: unknown, name: string): LargeValue {
  if (isLarge(value)) return value;
  return refuseValue(name, 'a large value that was read', 'only larges() writes bytes and texts');
}

function pointerIn(text: unknown): BlobPointer | undefined {
  try {
    const json: unknown = JSON.parse(String(text));
    if (!isObject(json)) return undefined;
    const { blob, length, sha256 } = json;
    const isPointer = typeof blob === 'string' && typeof length === 'number' && typeof sha256 === 'string';
    return isPointer ? { blob, length, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

const joined = (value: LargeValue): Joined => ({ typed: { type: 'Binary', value: value as never } });

function largePieces(): Pieces {
  const inline = longPieces('Binary');
  return {
    names: wire => [...inline.names(wire), pointerName(wire)],
    count: 1,
    isWhole: true,
    check: checked,
    split: (wire, value, where): readonly Piece[] => {
      const { bytes, pointer } = value as LargeValue;
      if (pointer === undefined) return inline.split(wire, bytes ?? new Uint8Array(), where);
      const { blob, length, sha256 } = pointer;
      return [{ name: pointerName(wire), type: 'String', value: JSON.stringify({ blob, length, sha256 }) }];
    },
    join: (wire, read) => {
      const named = read(pointerName(wire));
      if (named !== undefined) {
        const pointer = pointerIn(named.value);
        return pointer === undefined ? { fault: 'its pointer to a blob is none' } : joined(inBlob(pointer));
      }
      const found = inline.join(wire, read);
      if (found === undefined || !('typed' in found)) return found;
      if (found.typed.type !== 'Binary') return { fault: `it is stored as ${found.typed.type}` };
      return joined(inRow(found.typed.value as Uint8Array));
    },
  };
}

function define<T extends Uint8Array | string>(
  isText: boolean,
  { over = OVER_BYTES }: LargeOptions,
): LargeProperty<T> {
  if (!Number.isInteger(over) || over < 0 || over > ENTITY_BYTES_MAX / 2)
    refuseDefinition('over', `a row has values of up to ${ENTITY_BYTES_MAX / 2} bytes, not ${over}`);
  const pieces = largePieces();
  SHAPES.set(pieces, { over, isText });
  return inPieces<LargeValue<T>>('Binary', pieces);
}

/** Bytes that are in a blob if they are more than a bound. Throws DefinitionInvalid. */
export const largeBytes = (options: LargeOptions = {}): LargeProperty<Uint8Array> => define(false, options);

/** A text, kept as UTF-8, that is in a blob if it has more bytes than a bound. Throws DefinitionInvalid. */
export const largeText = (options: LargeOptions = {}): LargeProperty<string> => define(true, options);

/** What a program gives for a large property, as bytes; undefined for a handle. Throws ValueInvalid. */
export function bytesOfGiven(given: unknown, name: string, { isText }: LargeShape): Uint8Array | undefined {
  if (isLarge(given)) return undefined;
  if (isText && typeof given === 'string') {
    const bytes = toUtf8(given);
    if (fromUtf8(bytes) !== given) refuseValue(name, 'a text', 'half of a surrogate pair has no UTF-8');
    return bytes;
  }
  if (!isText && given instanceof Uint8Array) return given;
  return refuseValue(name, isText ? 'a text' : 'a Uint8Array', 'it is none');
}

export const sha256Of = async (bytes: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)));
