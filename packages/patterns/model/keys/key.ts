// The definition of a key: literals and named parts, in order, as plain data. compiled-key.ts binds it to an entity's properties.
import { type Refused, refuseDefinition } from '../../values/pattern-error.js';
import type { OptionalNames, Props, ValueOf } from '../../values/property.js';
import {
  type AnyKeyCodec,
  type CodecFor,
  type DescendingCodec,
  type KeyCodec,
  SEPARATOR,
} from './key-codec.js';

/** A property in a key. `V` is what its codec takes. */
export interface Part<N extends string = string, V = never> {
  readonly name: N;
  /** That of the property's type, where none is given. */
  readonly codec: AnyKeyCodec | undefined;
  /** Only for the compiler: the part serves properties whose values are among these. */
  readonly '~takes'?: (value: V) => void;
}

/** A part whose largest values come first. */
export interface DescendingPart<N extends string = string, V = never> extends Part<N, V> {
  readonly codec: DescendingCodec<V>;
}

/** A property as a part of its entity's keys, with the codec of its type. */
export interface PropertyPart<N extends string = string, V = never> extends Part<N, V> {
  /** The same part with another codec: `p.id.as(codec.int(6))`. */
  as<C extends CodecFor<V>>(
    codec: C,
  ): C extends { readonly order: 'down' } ? DescendingPart<N, V> : Part<N, V>;
}

/** A literal or a part. */
export type KeyPart = string | Part;

/** The definition of a partition key or a row key. */
export interface Key<A extends readonly KeyPart[] = readonly KeyPart[]> {
  readonly parts: A;
  readonly separator: string;
  /**
   * The same parts with something else than `!` between them, for tables that have it so: `_` as in the design guide, or nothing. Such a key
   * has an order only if all parts but the last are literals or of a fixed width, and no text before the last may hold the separator.
   */
  joinedBy(separator: string): Key<A>;
}

/** The names of a key's parts, in their order. */
export const namesIn = ({ parts }: Key): readonly string[] =>
  parts.flatMap(each => (typeof each === 'string' ? [] : [each.name]));

/** Whether its texts have their first part in common. */
export const beginsWithLiteral = ({ parts: [first] }: Key): boolean => typeof first === 'string';

/** The names of a key's parts, in no order. */
export type PartNames<A extends readonly KeyPart[]> = Extract<A[number], Part>['name'];

/** The names of parts whose largest values come first. */
export type DescendingNames<A extends readonly KeyPart[]> = Extract<
  A[number],
  Part & { readonly codec: { readonly order: 'down' } }
>['name'];

/** The properties that may be in keys: required ones that the service can compare. */
type KeyNames<P extends Props> = {
  [K in keyof P]: P[K] extends { readonly presence: 'required'; readonly use: 'plain' }
    ? ValueOf<P[K]> extends Uint8Array
      ? never
      : K
    : never;
}[keyof P];

/** The parts that a key of an entity with these properties may have. */
export type PartOf<P extends Props, N extends keyof P = KeyNames<P>> = {
  [K in N]: Part<K & string, ValueOf<P[K]>>;
}[N];

/**
 * The parts for keys where an entity is defined: its properties that may be in keys, by name. For all other names the compiler prints why they may not. These stand behind patterns, so that editors do not offer
 * them; and the messages are the same for all, because a type for each property would cost the compiler a tenth of what an entity costs.
 */
export type KeyParts<P extends Props, N extends keyof P = KeyNames<P>> = {
  readonly [K in N]: PropertyPart<K & string, ValueOf<P[K]>>;
} & {
  readonly [K in `${OptionalNames<P> & string}${Uppercase<string>}`]: Refused<'The property is optional, and a part of a key must be there'>;
} & {
  readonly [
    name: string
  ]: Refused<'A part of a key is a property that is required and has an order: not filled by the library, Binary, JSON, encrypted or in pieces'>;
};

/** Keys that an entity with these properties may have. */
export type KeyOn<P extends Props> = Key<readonly (string | PartOf<P>)[]>;

/** A key, or a function that makes it from the properties of the entity. */
export type KeyDefinition<P extends Props, K extends Key> = K | ((parts: KeyParts<P>) => K);

const bare = (name: string, codec?: AnyKeyCodec): Part => Object.freeze({ name, codec });

/** A part that may be given another codec. */
const propertyPart = (name: string) =>
  Object.freeze({
    ...bare(name),
    as(codec: AnyKeyCodec | undefined): Part {
      return codec === undefined
        ? refuseDefinition(`${name}.as()`, 'it is given no codec')
        : bare(name, codec);
    },
  });

/** The parts from which an entity with these properties makes its keys. */
export const partsOf = <P extends Props>(props: P): KeyParts<P> =>
  Object.fromEntries(Object.keys(props).map(name => [name, propertyPart(name)])) as never;

/** The key that a definition means. */
export function keyOf<P extends Props, K extends Key>(
  subject: string,
  definition: KeyDefinition<P, K>,
  parts: KeyParts<P>,
): K {
  const made = typeof definition === 'function' ? definition(parts) : definition;
  // A program without a compiler may give anything.
  if (!Array.isArray(made?.parts)) refuseDefinition(subject, 'it is not a key: key() makes one');
  return made;
}

/** A property's place in a key that is defined by itself, as one that several entities have. */
export function part<N extends string>(name: N): Part<N, unknown>;
export function part<N extends string, V>(name: N, codec: DescendingCodec<V>): DescendingPart<N, V>;
export function part<N extends string, V>(name: N, codec: KeyCodec<V>): Part<N, V>;
export function part<N extends string>(name: N, codec?: AnyKeyCodec): Part<N, never> {
  return Object.freeze({ name, codec });
}

function define<const A extends readonly KeyPart[]>(parts: A, separator: string): Key<A> {
  const wrong = parts.findIndex(each => typeof each !== 'string' && typeof each?.name !== 'string');
  if (wrong >= 0) refuseDefinition('key()', `its part ${wrong + 1} is neither a property nor a literal`);
  return Object.freeze({
    parts,
    separator,
    joinedBy: (other: string) => {
      if (other.length > 1) refuseDefinition(`joinedBy('${other}')`, 'a separator is one character or none');
      return define(parts, other);
    },
  });
}

/** Of parts that the compiler has refused, a key that it takes anywhere: its error at the part is then the only one. */
type KeyMade<A extends readonly KeyPart[]> = readonly KeyPart[] extends A ? Key<never> : Key<A>;

/** A key of literals and parts: `p => key('review', p.id.as(codec.int(6)), p.year.as(codec.int(4)))`. */
export const key = <const A extends readonly KeyPart[]>(...parts: A): KeyMade<A> =>
  define(parts, SEPARATOR) as KeyMade<A>;
