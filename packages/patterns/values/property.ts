// The definition of a property: one type of the service, fixed by the definition and never guessed from a value. wire-property.ts and
// typed-value.ts convert the values.

import type { EdmType } from './edm.js';
import type { Instant } from './instant.js';
import { isObject } from './is-object.js';
import { refuseDefinition } from './pattern-error.js';
import { longPieces, type Pieces } from './pieces.js';
import type { OutputOf, StandardSchema } from './standard-schema.js';

/** `filled`: always there in a row that is read; the library gives the value where a program gives none. */
export type Presence = 'required' | 'optional' | 'filled';

/** What the library gives: a default, the time of the row's first write, or that of its last one. */
export type Filling =
  | { readonly kind: 'default'; readonly give: () => unknown }
  | { readonly kind: 'created' | 'updated' };
/** Whether the service can compare the stored value as what it is: of JSON it sees only the text. */
export type Use = 'plain' | 'opaque';

/** A property's definition. Each method gives a new one. */
export interface Property<T = unknown, P extends Presence = Presence, U extends Use = Use> {
  readonly edm: EdmType;
  readonly presence: P;
  readonly use: U;
  /** What the property is called in the table, where that is not its name in the program. */
  readonly storedName: string | undefined;
  /** The schema of the JSON value, of `t.json`. */
  readonly json: StandardSchema | undefined;
  /** What a value must pass beyond its type. */
  readonly checks: readonly StandardSchema[];
  /** Where the value comes from if a program gives none. */
  readonly filling: Filling | undefined;
  /** How the value stands in several properties of the row; undefined if it is one. */
  readonly pieces: Pieces | undefined;
  /** Only for the compiler: the type of the value. */
  readonly '~value'?: T;
  /**
   * A value for rows without one: written where a program gives none, and given for rows that lack it. A function is called each time.
   */
  default(value: T | (() => T)): Property<T, 'filled', U>;
  /** May be missing. Null and undefined are the same to the service: no property. */
  optional(): Property<T, 'optional', U>;
  /**
   * Narrows what is accepted by a Standard Schema: zod, valibot, arktype. It refuses and never changes: a schema that gives another value
   * than it got is an error. It must answer at once; one that gives a promise is refused.
   */
  check<V extends T>(schema: StandardSchema<unknown, V> | StandardSchema<V, V>): Property<V, P, U>;
  /** The name in the table. */
  stored(name: string): Property<T, P, U>;
  /**
   * For texts, bytes and JSON: a value over 64 KiB is stored in up to sixteen properties of the row, `text`, `text__2` and so on; each one counts. The service cannot compare it, so it
   * has no conditions. Throws DefinitionInvalid for other types.
   */
  long(): Property<T, P, 'opaque'>;
}

/** The properties of an entity, by their names in the program. */
export type Props = Readonly<Record<string, Property>>;

/** A property without its methods. */
type Settings<P extends Presence, U extends Use> = Pick<
  Property<unknown, P, U>,
  'edm' | 'presence' | 'use' | 'storedName' | 'json' | 'checks' | 'filling' | 'pieces'
>;

/** A copy that shares no array, plain object or bytes. Anything else is returned as is, such as a time inside JSON. */
function ownCopy(value: unknown): unknown {
  if (!isObject(value)) return value;
  // A Buffer's slice would share its memory.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(ownCopy);
  return [Object.prototype, null].includes(Object.getPrototypeOf(value))
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ownCopy(each)]))
    : value;
}

function define<T, P extends Presence, U extends Use>(settings: Settings<P, U>): Property<T, P, U> {
  return Object.freeze({
    ...settings,
    optional: () => define<T, 'optional', U>({ ...settings, presence: 'optional', filling: undefined }),
    default: (value: T | (() => T)) => {
      // One object for all rows would carry what a caller changes in one of them to the others.
      const give = () => ownCopy(typeof value === 'function' ? (value as () => T)() : value);
      return define<T, 'filled', U>({ ...settings, presence: 'filled', filling: { kind: 'default', give } });
    },
    check: <V extends T>(schema: StandardSchema) =>
      define<V, P, U>({ ...settings, checks: [...settings.checks, schema] }),
    stored: (name: string) => define<T, P, U>({ ...settings, storedName: name }),
    long: () => {
      const { edm, pieces } = settings;
      if ((edm !== 'String' && edm !== 'Binary') || pieces !== undefined)
        return refuseDefinition('long()', `only a text, bytes or JSON is long, not ${edm}`);
      return define<T, P, 'opaque'>({ ...settings, use: 'opaque', pieces: longPieces(edm) });
    },
  });
}

const REQUIRED = {
  presence: 'required',
  storedName: undefined,
  json: undefined,
  checks: [],
  filling: undefined,
  pieces: undefined,
} as const;

const plain = <T>(edm: EdmType): Property<T, 'required', 'plain'> =>
  define({ ...REQUIRED, edm, use: 'plain' });

const time = (kind: 'created' | 'updated'): Property<Instant, 'filled', 'plain'> =>
  define({ ...REQUIRED, edm: 'DateTime', use: 'plain', presence: 'filled', filling: { kind } });

/** A property whose value stands in pieces, as entries of their own define them. */
export const inPieces = <T>(edm: EdmType, pieces: Pieces): Property<T, 'required', 'opaque'> =>
  define({ ...REQUIRED, edm, use: 'opaque', pieces });

/** A check that a text is one of these. */
function anyOf<V extends string>(values: readonly V[]): StandardSchema<unknown, V> {
  const known: ReadonlySet<unknown> = new Set(values);
  const message = `should be one of ${values.map(value => JSON.stringify(value)).join(', ')}`;
  const validate = (value: unknown) => (known.has(value) ? { value: value as V } : { issues: [{ message }] });
  return { '~standard': { version: 1, vendor: 'shelfmark-patterns', validate } };
}

function oneOf<const V extends readonly [string, ...string[]]>(
  ...values: V
): Property<V[number], 'required', 'plain'> {
  if (values.length === 0) refuseDefinition('oneOf()', 'it has no values');
  return t.string().check(anyOf<V[number]>(values));
}

/** The types of properties: one for each type of the service, and JSON, which is stored as a String. */
export const t = {
  string: (): Property<string, 'required', 'plain'> => plain('String'),
  /** One of these texts, as an enum elsewhere: `t.oneOf('open', 'shut')`. */
  oneOf,
  int32: (): Property<number, 'required', 'plain'> => plain('Int32'),
  int64: (): Property<bigint, 'required', 'plain'> => plain('Int64'),
  double: (): Property<number, 'required', 'plain'> => plain('Double'),
  bool: (): Property<boolean, 'required', 'plain'> => plain('Boolean'),
  /** A time to 100 ns. */
  instant: (): Property<Instant, 'required', 'plain'> => plain('DateTime'),
  /** Lower case with hyphens; other spellings are accepted and come back so. */
  guid: (): Property<string, 'required', 'plain'> => plain('Guid'),
  bytes: (): Property<Uint8Array, 'required', 'plain'> => plain('Binary'),
  /** Anything that JSON can hold and the schema accepts when it is read from there. */
  json: <S extends StandardSchema>(schema: S): Property<OutputOf<S>, 'required', 'opaque'> =>
    define({ ...REQUIRED, edm: 'String', use: 'opaque', json: schema }),
  /** The time of the row's first write, which the library gives and keeps. */
  created: () => time('created'),
  /** The time of the row's last write, which the library gives at each one. */
  updated: () => time('updated'),
} as const;

/** The property as rows have it in which it is always there, and nothing fills it. */
export const required = (property: Property): Property =>
  Object.freeze({ ...property, presence: 'required', filling: undefined });

/** The names that may be missing. */
export type OptionalNames<P extends Props> = {
  [K in keyof P]: P[K]['presence'] extends 'optional' ? K : never;
}[keyof P];

/** Values of properties by their names in the program. */
export type Values = Readonly<Record<string, unknown>>;

/** The type of a property's value. */
export type ValueOf<D extends Property> = Exclude<D['~value'], undefined>;

/** An entity's value. */
export type Row<P extends Props> = Flat<
  { readonly [K in Exclude<keyof P, OptionalNames<P>>]: ValueOf<P[K]> } & {
    readonly [K in OptionalNames<P>]?: ValueOf<P[K]> | undefined;
  }
>;

/** The names that a program need not give. */
type UngivenNames<P extends Props> = {
  [K in keyof P]: P[K]['presence'] extends 'required' ? never : K;
}[keyof P];

/** An entity's value as a program gives it to be written: without what the library gives. Most have nothing of it, and the compiler is spared the work. */
export type GivenRow<P extends Props> = 'filled' extends P[keyof P]['presence']
  ? Flat<
      { readonly [K in Exclude<keyof P, UngivenNames<P>>]: ValueOf<P[K]> } & {
        readonly [K in UngivenNames<P>]?: ValueOf<P[K]> | undefined;
      }
    >
  : Row<P>;

/** The same type, shown as one object. */
export type Flat<T> = { [K in keyof T]: T[K] };
