// Definitions of properties whose values are encrypted before they leave the program: in the row they are Binary, and in an entity's value a Ciphertext, so that no door of the library writes anything else.
import { fromUtf8, toUtf8 } from '../values/bytes.js';
import { checkJson, checkValue } from '../values/check-value.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { type Joined, longPieces, type Piece, type Pieces } from '../values/pieces.js';
import { inPieces, type Presence, type Property, type Use } from '../values/property.js';
import { readRow } from '../values/read-wire.js';
import { decodeProperty, type TypedValue } from '../values/typed-value.js';
import { encodeProperty } from '../values/wire-property.js';
import { Ciphertext, ContentKey, type KeyPlace } from './ciphertext.js';

const LONG = longPieces('Binary');

const ONLY_HERE =
  'is encrypted, and a ciphertext opens in its own row only: a keyed hash of it, which the hashes of encryption() make, may be here instead';

/** One property, unless it may be long. */
abstract class BinaryPieces implements Pieces {
  readonly count = 1;
  readonly isWhole: boolean;

  constructor(isWhole: boolean) {
    this.isWhole = isWhole;
  }

  names(wire: string): readonly string[] {
    return this.isWhole ? LONG.names(wire) : [wire];
  }

  split(wire: string, value: unknown, where: string): readonly Piece[] {
    const { bytes } = value as Ciphertext | ContentKey;
    return this.isWhole ? LONG.split(wire, bytes, where) : [{ name: wire, type: 'Binary', value: bytes }];
  }

  join(wire: string, read: (name: string) => TypedValue | undefined): Joined | undefined {
    const found = read(wire);
    const joined = this.isWhole ? LONG.join(wire, read) : found && { typed: found };
    if (joined === undefined || 'fault' in joined || joined.typed.type !== 'Binary') return joined;
    const value = this.made(joined.typed.value as Uint8Array);
    // No value of the service, but one that the property's own encoding takes back.
    return { typed: { type: 'Binary', value: value as unknown as Uint8Array } };
  }

  protected abstract made(bytes: Uint8Array): Ciphertext | ContentKey;
}

/** Of an encrypted property: what is in it, and where its key is. */
export class EncryptedPieces extends BinaryPieces {
  readonly inner: Property;
  readonly place: KeyPlace;
  readonly withRow: string | undefined;
  readonly onlyHere = ONLY_HERE;

  constructor(inner: Property, place: KeyPlace) {
    super(inner.pieces !== undefined);
    this.inner = inner;
    this.place = place;
    if (place === 'row')
      this.withRow =
        'it is encrypted with the key of its row, which other properties may be under: a merge would leave them unreadable';
  }

  readonly check = (value: unknown, name: string): unknown =>
    value instanceof Ciphertext
      ? value
      : refuseValue(
          name,
          'a Ciphertext',
          'it is encrypted: write it through encryption(…).repo(db), or seal it first',
        );

  protected made(bytes: Uint8Array): Ciphertext {
    return new Ciphertext(bytes);
  }
}

/** What is in a property: of one that is encrypted, the property that it is made of. */
export const innerOf = (property: Property): Property =>
  property.pieces instanceof EncryptedPieces ? property.pieces.inner : property;

class ContentKeyPieces extends BinaryPieces {
  readonly withRow = 'it is the key of other properties of its row';
  readonly stays = 'it is the key of other properties of its row, which would be unreadable';
  readonly onlyHere = 'is the content key of its row, and opens nothing in another one';

  constructor() {
    super(false);
  }

  readonly check = (value: unknown, name: string): unknown =>
    value instanceof ContentKey ? value : refuseValue(name, 'a ContentKey', 'the library makes it');

  protected made(bytes: Uint8Array): ContentKey {
    return new ContentKey(bytes);
  }
}

/** What an encrypted property has in common with the one that it is made of. */
type Present<P extends Presence> = Exclude<P, 'filled'>;

/**
 * A property whose value is encrypted. By default with the content key of its row, for which the entity has a property `contentKey()`: one key a row, and no merge of it, as in the guide. `'self-contained'` values
 * bring their keys along, so that they can be merged, and are longer by the wrapped key. Throws DefinitionInvalid.
 */
export function encrypted<T, P extends Presence, K extends KeyPlace = 'row'>(
  inner: Property<T, P, Use>,
  place: K = 'row' as K,
): Property<Ciphertext<T, K>, Present<P>, 'opaque'> {
  if (inner.filling !== undefined)
    refuseDefinition('encrypted()', 'a property that the library fills cannot be encrypted');
  if (inner.pieces !== undefined && inner.pieces.names('a').length !== LONG.names('a').length)
    refuseDefinition('encrypted()', 'of values in pieces, only those that are long() can be encrypted');
  let made: Property<Ciphertext<T, K>, Presence, 'opaque'> = inPieces(
    'Binary',
    new EncryptedPieces(inner, place),
  );
  if (inner.storedName !== undefined) made = made.stored(inner.storedName);
  if (inner.presence === 'optional') made = made.optional();
  return made as Property<Ciphertext<T, K>, Present<P>, 'opaque'>;
}

/** The property that holds the content key of a row. The library writes it. */
export const contentKey = (): Property<ContentKey, 'optional', 'opaque'> =>
  inPieces<ContentKey>('Binary', new ContentKeyPieces()).optional();

export const isContentKey = ({ pieces }: Property): boolean => pieces instanceof ContentKeyPieces;

/** A refusal that shows nothing of the value. */
function hidden<T>(name: string, { edm }: Property, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    if (PatternError.is(thrown, 'TooLarge')) throw thrown;
    return refuseValue(
      name,
      edm,
      'its type, its schema or its check refuses the value, which is not shown because it is secret',
    );
  }
}

/** The bytes to encrypt: of a Binary itself, else the JSON of the value as the service would get it, in UTF-8. Throws ValueInvalid, which shows nothing of the value, and TooLarge. */
export const plaintextOf = (name: string, property: Property, value: unknown): Uint8Array =>
  hidden(name, property, () => {
    const { edm, json, pieces } = property;
    if (json !== undefined) {
      const text = JSON.stringify(value);
      checkJson(property, JSON.parse(text), name);
      return toUtf8(text);
    }
    const checked = checkValue(property, value, name);
    if (edm === 'Binary') return Uint8Array.from(checked as Uint8Array);
    if (pieces !== undefined) return toUtf8(JSON.stringify(checked));
    return toUtf8(encodeProperty(name, edm, checked).literal);
  });

/** Throws ValueInvalid for what is not a value of the property. */
export const valueOfPlaintext = (name: string, property: Property, bytes: Uint8Array): unknown =>
  hidden(name, property, () => {
    const { edm, json } = property;
    if (edm === 'Binary') return checkValue(property, Uint8Array.from(bytes), name);
    const text = fromUtf8(bytes);
    if (json !== undefined) return checkJson(property, JSON.parse(text), name);
    const { value } = readRow(`{"value":${text}}`);
    return checkValue(property, decodeProperty(value ?? null, `Edm.${edm}`).value, name);
  });
