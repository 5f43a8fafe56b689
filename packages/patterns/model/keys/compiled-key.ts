// A key's definition, bound to the properties of an entity: encodes values to keys, decodes keys, and computes the range of keys that share leading
// parts. Sends nothing.
import { checkValue } from '../../values/check-value.js';
import { PatternError, refuseDefinition, refuseKey } from '../../values/pattern-error.js';
import type { Property, Props, Values } from '../../values/property.js';
import { checkSize } from '../../values/wire-property.js';
import type { Key, Part } from './key.js';
import {
  type AnyKeyCodec,
  codec,
  forbiddenIn,
  hasUncertainOrder,
  KEY_LENGTH_MAX,
  SEPARATOR,
  successorOf,
  UNCERTAIN_ORDER,
} from './key-codec.js';

/** The keys of one row. */
export interface Point {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** Keys, by what comparing them with a text says. At most one bound on either side; without any, all keys. */
export interface KeyRange {
  readonly eq?: string;
  readonly ge?: string;
  readonly gt?: string;
  readonly lt?: string;
  readonly le?: string;
}

/** Bounds of one part's values. */
export interface PartBounds<V = unknown> {
  readonly ge?: V;
  readonly gt?: V;
  readonly lt?: V;
  readonly le?: V;
  /** Of texts: those that begin so. */
  readonly prefix?: unknown extends V ? string : V extends string ? string : never;
}

/** A part, with the property whose values it has. */
interface BoundPart {
  readonly name: string;
  readonly property: Property;
  readonly codec: AnyKeyCodec;
}

type AnyPart = string | BoundPart;

/** Codecs of parts that name none. */
const BY_TYPE: { readonly [edm: string]: AnyKeyCodec } = {
  String: codec.text,
  Int32: codec.int32,
  Int64: codec.int64,
  Double: codec.double,
  Boolean: codec.bool,
  DateTime: codec.time,
  Guid: codec.guid,
};

/** The text that comes right after all that begin with this one. */
function successor(text: string): string {
  return successorOf(text) ?? refuseKey('range', UNCERTAIN_ORDER, text);
}

/** The same bounds on texts, where texts are in the reverse order of values. */
const reversed = ({ ge, gt, lt, le }: PartBounds): PartBounds => ({ ge: le, gt: lt, lt: gt, le: ge });

const isGiven = (bound: unknown): boolean => bound !== undefined;

/** A key of an entity: what `entity.plan.partition` and `entity.plan.row` are. */
export class CompiledKey {
  /** `Employee.partition`, for errors. */
  readonly subject: string;
  /** Literals and properties, in order. */
  readonly parts: readonly AnyPart[];
  /** The properties alone. */
  readonly bound: readonly BoundPart[];
  /** Their names, each once. */
  readonly names: readonly string[];
  readonly separator: string;

  constructor(subject: string, key: Key, props: Props) {
    this.subject = subject;
    this.separator = key.separator;
    this.parts = key.parts.map(each =>
      typeof each === 'string' ? each : this.#bind(each, props[each.name]),
    );
    this.bound = this.parts.filter(each => typeof each !== 'string');
    this.names = [...new Set(this.bound.map(({ name }) => name))];
    this.#checkText();
  }

  /** The key of these values. Throws KeyInvalid, ValueInvalid and TooLarge. */
  encode(values: Values): string {
    return this.#checked(this.parts.map((each, at) => this.#text(each, at, values)).join(this.separator));
  }

  /** Keys under which a row of these values may stand: that of `encode`, then those of earlier numbers of buckets. */
  encodeAll(values: Values): readonly string[] {
    return this.#product((each, at) => {
      const text = this.#text(each, at, values);
      if (typeof each === 'string' || each.codec.rebucketing === undefined) return [text];
      return [text, ...each.codec.earlier(checkValue(each.property, values[each.name], each.name) as never)];
    });
  }

  /** Keys of all buckets, with the parts that are not buckets as given: what a query over a spread partition asks. */
  everyBucket(values: Values): readonly string[] {
    return this.#product((each, at) =>
      typeof each !== 'string' && each.codec.all ? each.codec.all : [this.#text(each, at, values)],
    );
  }

  /** The values that the key gives back. Throws KeyInvalid. */
  decode(text: string): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    let at = 0;
    for (const [index, each] of this.parts.entries()) {
      const isLast = index === this.parts.length - 1;
      const end = this.#endOf(each, text, at, isLast);
      const piece = text.slice(at, end);
      if (typeof each === 'string') {
        if (piece !== each) this.#misread(text, `does not have the literal ${each}`);
      } else if (each.codec.lossless) {
        values[each.name] = each.codec.decode(piece);
      }
      at = end;
      if (!isLast) {
        if (!text.startsWith(this.separator, at)) this.#misread(text, `ends before all parts`);
        at += this.separator.length;
      }
    }
    if (at !== text.length) this.#misread(text, 'goes on after its last part');
    return values;
  }

  /** The keys that have these leading parts, and within them those whose next part is in bounds. */
  range(lead: Values, next: PartBounds = {}): KeyRange {
    const has = (each: AnyPart): boolean => typeof each === 'string' || isGiven(lead[each.name]);
    const at = this.parts.findIndex(each => !has(each));
    const missing = this.parts[at];
    if (typeof missing !== 'object') {
      if (Object.values(next).some(isGiven))
        refuseKey(this.subject, 'has no part after those that are given');
      return { eq: this.encode(lead) };
    }
    // A part that is given behind one that is not would be passed over, and the range be wider than it looks.
    const behind = this.bound.slice(this.bound.indexOf(missing)).find(has);
    if (behind !== undefined)
      refuseKey(behind.name, `is given without ${missing.name}, which stands before it in ${this.subject}`);
    const before = this.parts
      .slice(0, at)
      .map((each, index) => this.#text(each, index, lead) + this.separator);
    return this.#within(before.join(''), missing, at === this.parts.length - 1, next);
  }

  /** The text that every key begins with: its leading literals. `next` is the part behind it, if that is not all of the key. */
  get beginning(): { readonly text: string; readonly next: BoundPart | undefined } {
    const [next] = this.bound;
    const literals = next === undefined ? this.parts : this.parts.slice(0, this.parts.indexOf(next));
    const text = literals.join(this.separator);
    return { text: next === undefined || literals.length === 0 ? text : text + this.separator, next };
  }

  /** Whether a key begins as all of these do. */
  begins(key: string): boolean {
    const { text, next } = this.beginning;
    return next === undefined ? key === text : key.startsWith(text) && mayBegin(this, key);
  }

  #wrong(reason: string): never {
    refuseDefinition(this.subject, reason);
  }

  #misread(text: string, reason: string): never {
    refuseKey(this.subject, reason, text);
  }

  #bind({ name, codec: own }: Part, property: Property | undefined): BoundPart {
    if (property === undefined) return this.#wrong(`${name} is not one of its properties`);
    const { edm, pieces, presence, use, json } = property;
    if (pieces?.onlyHere !== undefined) return this.#wrong(`${name} ${pieces.onlyHere}`);
    if (presence === 'optional') return this.#wrong(`${name} is optional, and a part of a key must be there`);
    const bound = own ?? BY_TYPE[edm];
    if (bound === undefined || use !== 'plain')
      return this.#wrong(
        `${name} is ${json ? 'JSON' : use === 'plain' ? edm : use}, which has no order in keys`,
      );
    if (!bound.edm.includes(edm))
      return this.#wrong(`${name} is ${edm}, and ${bound.name} takes ${bound.edm.join(', ')}`);
    return { name, property, codec: bound };
  }

  /** Literals and separators that keys may hold, and by which they can be taken apart again. */
  #checkText(): void {
    const { parts, separator } = this;
    if (forbiddenIn(separator) !== undefined)
      this.#wrong('the separator is a character that no key may hold');
    for (const each of separator === '' ? this.bound : [])
      if (each.codec.width === undefined && each !== parts.at(-1))
        this.#wrong(`${each.name} has no fixed width`);
    for (const each of parts) {
      if (typeof each !== 'string') continue;
      const character = forbiddenIn(each);
      if (character !== undefined) this.#wrong(`the literal ${each} holds ${character}, which no key may`);
      if (separator === SEPARATOR ? /[ !]/.test(each) : separator !== '' && each.includes(separator))
        this.#wrong(`the literal '${each}' holds a separator or a space`);
      if (each === '' && parts.length > 1) this.#wrong('a literal is empty');
    }
  }

  #text(each: AnyPart, at: number, values: Values): string {
    if (typeof each === 'string') return each;
    const { name, property, codec: of } = each;
    const value = values[name];
    if (value === undefined || value === null) refuseKey(name, `is missing in ${this.subject}`);
    const text = this.#encoded(each, checkValue(property, value, name));
    if (at === this.parts.length - 1 || of.width !== undefined) return text;
    if (text.includes(this.separator)) refuseKey(name, 'holds the separator', text);
    if (of.text === 'exact' && this.separator === SEPARATOR && text.includes(' '))
      refuseKey(name, 'holds a space, which sorts below the separator', text);
    return text;
  }

  #encoded({ name, codec: { encode } }: BoundPart, value: unknown): string {
    try {
      return encode(value as never);
    } catch (thrown) {
      if (!PatternError.is(thrown, 'KeyInvalid')) throw thrown;
      throw new PatternError('KeyInvalid', { ...thrown.detail, part: name });
    }
  }

  #checked(text: string): string {
    checkSize('key', this.subject, text.length, KEY_LENGTH_MAX);
    return text;
  }

  /** Where the piece of the key ends that begins at `at`. */
  #endOf(each: AnyPart, text: string, at: number, isLast: boolean): number {
    if (typeof each === 'string') return at + each.length;
    if (each.codec.width !== undefined) return Math.min(at + each.codec.width, text.length);
    const end = isLast ? -1 : text.indexOf(this.separator, at);
    return end < 0 ? text.length : end;
  }

  #product(choices: (each: AnyPart, at: number) => readonly string[]): readonly string[] {
    let texts: readonly string[] = [''];
    for (const [at, each] of this.parts.entries()) {
      const before = at === 0 ? '' : this.separator;
      const pieces = choices(each, at);
      texts = texts.flatMap(text => pieces.map(piece => `${text}${before}${piece}`));
    }
    return [...new Set(texts)].map(text => this.#checked(text));
  }

  /** Keys behind the text whose part `each` is in bounds. */
  #within(before: string, each: BoundPart, isLast: boolean, next: PartBounds): KeyRange {
    const { name, codec: of } = each;
    const first: KeyRange = before === '' ? {} : { ge: before };
    const end: KeyRange = before === '' ? {} : { lt: successor(before) };
    const given = Object.keys(next).filter(bound => isGiven(next[bound as keyof PartBounds]));
    if (given.length === 0) return { ...first, ...end };
    if (of.order === 'none' || !(isLast || this.separator === SEPARATOR || of.width !== undefined))
      refuseKey(name, `has no order in ${this.subject}`);
    if (isGiven(next.prefix)) {
      if (of.width !== undefined || given.length > 1)
        refuseKey(name, 'takes a prefix only if it is text, and alone');
      const text = before + this.#encoded(each, next.prefix);
      return text === '' ? {} : { ge: text, lt: successor(text) };
    }
    const { ge, gt, lt, le } = of.order === 'down' ? reversed(next) : next;
    if ((isGiven(ge) && isGiven(gt)) || (isGiven(le) && isGiven(lt)))
      refuseKey(name, 'has two bounds on one side');
    const text = (value: unknown): string => before + this.#orderedText(each, value);
    const after = (value: unknown): string =>
      this.separator === '' ? successor(text(value)) : text(value) + successor(this.separator);
    const above = (): KeyRange => (isLast ? { gt: text(gt) } : { ge: after(gt) });
    const upTo = (): KeyRange => (isLast ? { le: text(le) } : { lt: after(le) });
    return {
      ...(isGiven(gt) ? above() : isGiven(ge) ? { ge: text(ge) } : first),
      ...(isGiven(le) ? upTo() : isGiven(lt) ? { lt: text(lt) } : end),
    };
  }

  #orderedText(each: BoundPart, value: unknown): string {
    const text = this.#encoded(each, checkValue({ ...each.property, checks: [] }, value, each.name));
    if (hasUncertainOrder(text)) refuseKey(each.name, UNCERTAIN_ORDER, text);
    return text;
  }
}

/** What texts of these codecs begin with. */
const ALPHABETS: Readonly<Record<string, RegExp>> = { digits: /^[0-9]/, hex: /^[0-9a-f]/ };

/** Whether the first part of the key may begin so. Behind a literal anything may stand: queries read all that begins with it. */
function mayBegin({ parts: [first] }: CompiledKey, text: string): boolean {
  return typeof first !== 'object' || ALPHABETS[first.codec.text]?.test(text) !== false;
}

/** Whether no text is a key by both definitions, judged by their leading literals and, of a key without one, the alphabet of its first part. */
export function areDisjoint(a: CompiledKey, b: CompiledKey): boolean {
  const { text, next } = a.beginning;
  const { text: longer } = b.beginning;
  if (text.length > longer.length) return areDisjoint(b, a);
  if (longer === text || !longer.startsWith(text)) return longer !== text;
  return next === undefined || !mayBegin(a, longer);
}
