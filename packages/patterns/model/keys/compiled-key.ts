// A key's definition, bound to the properties of an entity: encodes values to keys, decodes keys, and computes the range of keys that share leading
// parts. Sends nothing.
import { checkValue } from '../../values/check-value.js';
import { PatternError, refuseDefinition, refuseKey } from '../../values/pattern-error.js';
import type { Property, Props, Values } from '../../values/property.js';
import { checkSize } from '../../values/wire-property.js';
import type { Key } from './key.js';
import {
  type AnyKeyCodec,
  codec,
  forbiddenIn,
  hasUncertainOrder,
  KEY_LENGTH_MAX,
  type Rebucketing,
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

interface BoundPart {
  readonly name: string;
  readonly property: Property;
  readonly codec: AnyKeyCodec;
}

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

/** A key of an entity: what `entity.plan.partition` and `entity.plan.row` are. */
export class CompiledKey {
  /** `Employee.partition`, for errors. */
  readonly subject: string;
  /** The names of its parts, each once, in order. */
  readonly names: readonly string[];
  /** Literals and properties, in order. */
  readonly parts: readonly (string | BoundPart)[];
  readonly separator: string;

  constructor(subject: string, key: Key, props: Props) {
    this.subject = subject;
    this.separator = key.separator;
    this.parts = key.parts.map(each => {
      if (typeof each === 'string') return each;
      const property = props[each.name];
      if (property === undefined) return this.#wrong(`${each.name} is not one of its properties`);
      if (property.pieces?.onlyHere !== undefined)
        return this.#wrong(`${each.name} ${property.pieces.onlyHere}`);
      if (property.presence === 'optional')
        return this.#wrong(`${each.name} is optional, and a part of a key must be there`);
      const isPlain = property.use === 'plain';
      const bound = each.codec ?? (isPlain ? BY_TYPE[property.edm] : undefined);
      if (bound === undefined || !isPlain)
        return this.#wrong(
          `${each.name} is ${property.json ? 'JSON' : isPlain ? property.edm : 'opaque'}, which has no order in keys`,
        );
      if (!bound.edm.includes(property.edm))
        return this.#wrong(
          `${each.name} is ${property.edm}, and ${bound.name} takes ${bound.edm.join(', ')}`,
        );
      return { name: each.name, property, codec: bound };
    });
    this.names = [...new Set(this.#bound().map(({ name }) => name))];
    this.#checkText();
  }

  /** Parts whose buckets are being changed, so that rows may stand under other keys than that of `encode`: see `encodeAll`. */
  get changing(): readonly { readonly name: string; readonly by: Rebucketing }[] {
    return this.#bound().flatMap(({ name, codec: { rebucketing: by } }) => (by ? [{ name, by }] : []));
  }

  /** What the beginning of the key may follow. A literal is the same for all, so it is the first part that decides. */
  get trend(): AnyKeyCodec['trend'] {
    const [first] = this.#bound();
    return first?.codec.trend ?? 'none';
  }

  /** The names of parts that follow time, wherever they stand. */
  get times(): readonly string[] {
    return this.#bound()
      .filter(each => each.codec.trend === 'time')
      .map(({ name }) => name);
  }

  /** The names whose values the key gives back. */
  get lossless(): readonly string[] {
    return this.#bound()
      .filter(each => each.codec.lossless)
      .map(({ name }) => name);
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
    const pieces: string[] = [];
    for (const [at, each] of this.parts.entries()) {
      if (typeof each !== 'string' && lead[each.name] === undefined) {
        this.#refuseGap(each, at, lead);
        return this.#within(pieces, each, at, next);
      }
      pieces.push(this.#text(each, at, lead));
    }
    if (Object.values(next).some(bound => bound !== undefined))
      refuseKey(this.subject, 'has no part after those that are given');
    return { eq: this.#checked(pieces.join(this.separator)) };
  }

  #bound(): readonly BoundPart[] {
    return this.parts.filter(each => typeof each !== 'string');
  }

  #wrong(reason: string): never {
    refuseDefinition(this.subject, reason);
  }

  #misread(text: string, reason: string): never {
    refuseKey(this.subject, reason, text);
  }

  /** Ranges over the part's values are ranges of keys. */
  #hasOrder({ codec: { order, width } }: BoundPart, at: number): boolean {
    const isLast = at === this.parts.length - 1;
    return order !== 'none' && (isLast || this.separator === SEPARATOR || width !== undefined);
  }

  /** Literals and separators that keys may hold, and by which they can be taken apart again. */
  #checkText(): void {
    const separator = this.separator;
    if (forbiddenIn(separator) !== undefined)
      this.#wrong('the separator is a character that no key may hold');
    for (const [at, each] of this.parts.entries()) {
      const isLast = at === this.parts.length - 1;
      if (typeof each !== 'string') {
        if (separator === '' && !isLast && each.codec.width === undefined)
          this.#wrong(`${each.name} has no fixed width`);
        continue;
      }
      const character = forbiddenIn(each);
      if (character !== undefined) this.#wrong(`the literal ${each} holds ${character}, which no key may`);
      if (separator === SEPARATOR ? /[ !]/.test(each) : separator !== '' && each.includes(separator))
        this.#wrong(`the literal '${each}' holds a separator or a space`);
      if (each === '' && this.parts.length > 1) this.#wrong('a literal is empty');
    }
  }

  #text(each: string | BoundPart, at: number, values: Values): string {
    if (typeof each === 'string') return each;
    const value = values[each.name];
    if (value === undefined || value === null) refuseKey(each.name, `is missing in ${this.subject}`);
    const text = this.#encoded(each, checkValue(each.property, value, each.name));
    const isLast = at === this.parts.length - 1;
    if (!isLast && this.#endOf(each, `${text}${this.separator}`, 0, false) !== text.length)
      refuseKey(each.name, 'holds the separator', text);
    if (!isLast && each.codec.text === 'exact' && this.separator === SEPARATOR && /[ !]/.test(text))
      refuseKey(each.name, 'holds a space, which sorts below the separator', text);
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
  #endOf(each: string | BoundPart, text: string, at: number, isLast: boolean): number {
    if (typeof each === 'string') return at + each.length;
    if (each.codec.width !== undefined) return Math.min(at + each.codec.width, text.length);
    const end = isLast ? -1 : text.indexOf(this.separator, at);
    return end < 0 ? text.length : end;
  }

  #product(choices: (each: string | BoundPart, at: number) => readonly string[]): readonly string[] {
    let texts: readonly string[] = [''];
    for (const [at, each] of this.parts.entries()) {
      const before = at === 0 ? '' : this.separator;
      const pieces = choices(each, at);
      texts = texts.flatMap(text => pieces.map(piece => `${text}${before}${piece}`));
    }
    return [...new Set(texts)].map(text => this.#checked(text));
  }

  /** A part that is given behind one that is not would be passed over, and the range be wider than it looks. */
  #refuseGap(missing: BoundPart, at: number, lead: Values): void {
    const given = this.parts
      .slice(at)
      .find(each => typeof each !== 'string' && lead[each.name] !== undefined);
    if (typeof given === 'object')
      refuseKey(given.name, `is given without ${missing.name}, which stands before it in ${this.subject}`);
  }

  /** Keys behind the pieces whose part `each` is in bounds. */
  #within(pieces: readonly string[], each: BoundPart, at: number, next: PartBounds): KeyRange {
    const before = pieces.map(piece => piece + this.separator).join('');
    const first: KeyRange = before === '' ? {} : { ge: before };
    const end: KeyRange = before === '' ? {} : { lt: successor(before) };
    if (Object.values(next).every(bound => bound === undefined)) return { ...first, ...end };
    if (!this.#hasOrder(each, at)) refuseKey(each.name, `has no order in ${this.subject}`);
    if (next.prefix !== undefined) return this.#beginning(before, each, next);
    const { ge, gt, lt, le } = each.codec.order === 'down' ? reversed(next) : next;
    if ((ge !== undefined && gt !== undefined) || (le !== undefined && lt !== undefined))
      refuseKey(each.name, 'has two bounds on one side');
    const text = (value: unknown): string => before + this.#orderedText(each, value);
    const isLast = at === this.parts.length - 1;
    const after = (value: unknown): string =>
      this.separator === '' ? successor(text(value)) : text(value) + successor(this.separator);
    const above = (): KeyRange => (isLast ? { gt: text(gt) } : { ge: after(gt) });
    const upTo = (): KeyRange => (isLast ? { le: text(le) } : { lt: after(le) });
    return {
      ...(gt !== undefined ? above() : ge !== undefined ? { ge: text(ge) } : first),
      ...(le !== undefined ? upTo() : lt !== undefined ? { lt: text(lt) } : end),
    };
  }

  #beginning(before: string, each: BoundPart, next: PartBounds): KeyRange {
    if (
      each.codec.width !== undefined ||
      Object.entries(next).some(([name, bound]) => name !== 'prefix' && bound !== undefined)
    )
      refuseKey(each.name, 'takes a prefix only if it is text, and alone');
    const text = before + this.#encoded(each, next.prefix);
    return text === '' ? {} : { ge: text, lt: successor(text) };
  }

  #orderedText(each: BoundPart, value: unknown): string {
    const text = this.#encoded(each, checkValue({ ...each.property, checks: [] }, value, each.name));
    if (hasUncertainOrder(text)) refuseKey(each.name, UNCERTAIN_ORDER, text);
    return text;
  }
}

/** The text that every key begins with: its leading literals. `isWhole` if that is all of the key. */
export function beginningOf({ parts, separator }: CompiledKey): {
  readonly text: string;
  readonly isWhole: boolean;
} {
  const first = parts.findIndex(each => typeof each !== 'string');
  const isWhole = first < 0;
  const text = (isWhole ? parts : parts.slice(0, first)).join(separator);
  return { text: isWhole || first === 0 ? text : text + separator, isWhole };
}

/** What texts of these codecs begin with. */
const ALPHABETS: Readonly<Record<string, RegExp>> = { digits: /^[0-9]/, hex: /^[0-9a-f]/ };

/** Whether a key that begins with the text may begin with the first part of this one. */
function mayBegin({ parts: [first] }: CompiledKey, text: string): boolean {
  if (text === '' || typeof first !== 'object') return true;
  return ALPHABETS[first.codec.text]?.test(text) ?? true;
}

/** Whether no text is a key by both definitions, judged by their leading literals and alphabets. */
export function areDisjoint(a: CompiledKey, b: CompiledKey): boolean {
  const { text: own, isWhole } = beginningOf(a);
  const { text: others, isWhole: isOtherWhole } = beginningOf(b);
  if (isWhole && isOtherWhole) return own !== others;
  if (isWhole) return !own.startsWith(others) || !mayBegin(b, own);
  if (isOtherWhole) return areDisjoint(b, a);
  const isPrefix = own.startsWith(others) || others.startsWith(own);
  return !isPrefix || !mayBegin(b, own) || !mayBegin(a, others);
}
