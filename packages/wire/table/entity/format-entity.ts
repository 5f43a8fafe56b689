// Writes entities as JSON from their stored form, at the three metadata levels (protocol: json, queries#projection).
// Without metadata and projection an entity is a copy of the stored text after the system properties. The texts that an answer's
// entities share are built once: a page has hundreds of entities.

import { formatDateTime, type Output, Piece } from '#base';
import type { RowInPlace } from '#store';
import {
  cutOff,
  EDM_TYPES,
  ENTRY_BYTES,
  escapeText,
  FLAG_ANNOTATED,
  HEADER_BYTES,
  propertyCount,
  TEXT_OVERHEAD,
  textStart,
} from '#tables';
import { encodeKey, etagTime, type ResponseFormat } from '../answer.js';
import type { Route } from '../route.js';

/** What the URLs in an answer are made of: the endpoint and the table as the request spelled them. */
export type BaseUrl = Pick<Route, 'endpoint' | 'account'> & {
  readonly resource: Pick<Route['resource'], 'table'>;
};

/** The type annotation of the property at this position in the previous entity. */
interface Annotation {
  readonly name: Buffer;
  readonly type: number;
  readonly text: Piece;
}

/** Names of metadata, which no property has: a projection cannot ask for them (protocol: queries#projection). */
const METADATA_NAME = /(?:^|@)odata\./;
const NOTHING = new Piece('');

/** Empty if the member is left out. */
const opening = (isWanted: boolean, separator: string, name: string): string =>
  isWanted ? `${separator}"${name}":"` : '';

/** Flattens a concatenated text, which V8 would otherwise put together at each use. */
const flat = (...parts: readonly string[]): string => parts.join('');

interface Wanted {
  /** The stored text of the name, which is equal for equal names. */
  readonly bytes: Buffer;
  /** The text for an entity without it. */
  readonly absent: string;
  /** The number of the last entity that has it. */
  seenIn: number;
}

/** The names of a projection, found in stored entities by comparing bytes, without decoding names. */
class Selection {
  readonly #wanted: readonly Wanted[];
  readonly #byLength = new Map<number, Wanted[]>();
  #entity = 0;
  #missing = 0;

  constructor(names: Iterable<string>) {
    this.#wanted = Array.from(names, name => {
      const text = escapeText(name);
      return { bytes: Buffer.from(text, 'latin1'), absent: `,"${text}":null`, seenIn: 0 };
    });
    for (const each of this.#wanted) {
      const { length } = each.bytes;
      const others = this.#byLength.get(length);
      if (others) others.push(each);
      else this.#byLength.set(length, [each]);
    }
  }

  /** Call it before the names of the next entity. */
  begin(): void {
    this.#entity += 1;
    this.#missing = this.#wanted.length;
  }

  /** The number of names that were not found in the entity. */
  get missing(): number {
    return this.#missing;
  }

  /** True if the name at `from`, of `length` bytes, is selected. An entity has each name once. */
  takes(bytes: Buffer, from: number, length: number): boolean {
    const candidates = this.#byLength.get(length);
    if (candidates === undefined) return false;
    for (const candidate of candidates) {
      if (isAt(bytes, from, candidate.bytes)) {
        candidate.seenIn = this.#entity;
        this.#missing -= 1;
        return true;
      }
    }
    return false;
  }

  /** Null for each name that the entity does not have, with a comma before each. */
  absent(): string {
    let text = '';
    for (const each of this.#wanted) if (each.seenIn !== this.#entity) text += each.absent;
    return text;
  }
}

/** True if the bytes at `from` are `expected`. */
function isAt(bytes: Buffer, from: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}

/** Writes the entities of one answer. `first` is a member before all others, such as odata.metadata. */
export class EntityWriter {
  readonly #level: ResponseFormat['level'];
  readonly #table: string;
  readonly #start: string;
  readonly #partitionOpening: string;
  readonly #keyOpening: string;
  readonly #keyClosing: string;
  readonly #timeOpening: string;
  readonly #selection: Selection | undefined;
  readonly #hasNoHead: boolean;
  readonly #annotations: (Annotation | undefined)[] = [];
  /** The values of the previous entity and the texts made from them: neighbours share most of them. */
  #before: string | undefined;
  #lead = '';
  #partition: string | undefined;
  #path = '';
  #middle = '';
  #time: string | undefined;
  #etag = '';
  /** The text before the key, except at full metadata; and the text between the key and the properties. */
  #opening = NOTHING;
  #tail = NOTHING;

  constructor(base: BaseUrl, { level, select }: ResponseFormat, first?: string) {
    this.#level = level;
    this.#table = base.resource.table ?? '';
    const wanted = select && new Set(select.filter(name => !METADATA_NAME.test(name)));
    const takes = (name: string): boolean => wanted?.delete(name) ?? true;
    const [hasPartition, hasKey, hasTime] = [takes('PartitionKey'), takes('RowKey'), takes('Timestamp')];
    const afterControl = level === 'nometadata' ? '' : ',';
    const afterPartition = hasPartition ? ',' : afterControl;
    const afterKey = hasKey ? ',' : afterPartition;
    this.#partitionOpening = opening(hasPartition, afterControl, 'PartitionKey');
    this.#keyOpening = opening(hasKey, afterPartition, 'RowKey');
    this.#keyClosing = hasKey ? '"' : '';
    // The version is annotated at full metadata only.
    const annotation = level === 'fullmetadata' ? '"Timestamp@odata.type":"Edm.DateTime",' : '';
    this.#timeOpening = opening(hasTime, afterKey + annotation, 'Timestamp');
    this.#selection = wanted && new Selection(wanted);
    this.#hasNoHead = afterControl === '' && !hasPartition && !hasKey && !hasTime;
    const control =
      level === 'fullmetadata'
        ? `"odata.type":"${base.account}.${this.#table}","odata.id":"${escapeText(base.endpoint)}/`
        : '';
    this.#start = `{${first === undefined ? '' : `${first},`}${control}`;
  }

  /** Writes the entity's JSON object after `before`, without the closing brace. */
  write(output: Output, row: RowInPlace, before: string): void {
    const { bytes, from } = row;
    this.#enter(before, row.partition, formatDateTime(row.version));
    if (this.#level === 'fullmetadata') output.text(this.#lead + this.#control(row.key) + this.#middle);
    else output.piece(this.#opening);
    if (this.#keyOpening !== '') {
      const { keyFrom } = row;
      if (keyFrom < 0 || !output.plain(bytes, keyFrom, row.keyUntil)) output.text(escapeText(row.key));
    }
    output.piece(this.#tail);
    if (this.#level === 'nometadata' && this.#selection === undefined)
      output.bytes(bytes, textStart(bytes, from, row.until), row.until);
    else this.#writeProperties(output, row);
  }

  #enter(before: string, partition: string, time: string): void {
    if (before === this.#before && partition === this.#partition && time === this.#time) return;
    if (before !== this.#before) {
      this.#before = before;
      this.#lead = before === '' ? this.#start : flat(before, this.#start);
    }
    if (partition !== this.#partition) {
      this.#partition = partition;
      const isShown = this.#partitionOpening !== '';
      const member = isShown ? `${this.#partitionOpening}${escapeText(partition)}"` : '';
      this.#middle = before === '' ? member + this.#keyOpening : flat(member, this.#keyOpening);
      if (this.#level === 'fullmetadata')
        this.#path = escapeText(`${this.#table}(PartitionKey='${encodeKey(partition)}',RowKey='`);
    }
    if (time !== this.#time) {
      this.#time = time;
      if (this.#level !== 'nometadata') this.#etag = `"odata.etag":"W/\\"datetime'${etagTime(time)}'\\""`;
      const member = this.#timeOpening === '' ? '' : `${this.#timeOpening}${time}"`;
      this.#tail = new Piece(this.#keyClosing + member);
    }
    this.#opening = new Piece(this.#lead + this.#etag + this.#middle);
  }

  /** The control information that the opening brace and the type do not have. */
  #control(key: string): string {
    const path = `${this.#path}${escapeText(encodeKey(key))}')`;
    return `${path}",${this.#etag},"odata.editLink":"${path}"`;
  }

  /**
   * The texts of the selected properties, in stored order, each with its annotation before it where the level
   * requires one; neighbours without annotations are copied in one piece. The first comma is left out if no text precedes it.
   */
  #writeProperties(output: Output, { bytes: value, from: start, until: last }: RowInPlace): void {
    const selection = this.#selection;
    selection?.begin();
    const isAnnotated = this.#level !== 'nometadata';
    const count = propertyCount(value, start, last);
    let at = start + HEADER_BYTES + ENTRY_BYTES * count;
    let from = at;
    let until = at;
    let comma = this.#hasNoHead ? 1 : 0;
    for (let i = 0, entryAt = start + HEADER_BYTES; i < count; i++, entryAt += ENTRY_BYTES) {
      const nameLength = value.readUInt16LE(entryAt + 2);
      const end = at + nameLength + TEXT_OVERHEAD + value.readUInt32LE(entryAt + 4);
      if (end > last) throw cutOff();
      if (selection === undefined || selection.takes(value, at + 2, nameLength)) {
        const hasType = isAnnotated && ((value[entryAt + 1] ?? 0) & FLAG_ANNOTATED) !== 0;
        if (hasType || until !== at) {
          if (until > from) {
            output.bytes(value, from + comma, until);
            comma = 0;
          }
          from = at;
          if (hasType) output.piece(this.#annotation(i, value, at + 2, nameLength, value[entryAt] ?? 0));
        }
        until = end;
        if (selection?.missing === 0) break;
      }
      at = end;
    }
    if (until > from) {
      output.bytes(value, from + comma, until);
      comma = 0;
    }
    if (selection && selection.missing > 0) output.text(selection.absent().slice(comma));
  }

  #annotation(slot: number, value: Buffer, nameAt: number, nameLength: number, type: number): Piece {
    const known = this.#annotations[slot];
    if (known?.type === type && known.name.length === nameLength && isAt(value, nameAt, known.name))
      return known.text;
    const name = Buffer.from(value.subarray(nameAt, nameAt + nameLength));
    const text = new Piece(`,"${name.toString('latin1')}@odata.type":"${EDM_TYPES[type]}"`);
    this.#annotations[slot] = { name, type, text };
    return text;
  }
}
