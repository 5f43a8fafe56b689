// Marks of writes: random bytes that a write leaves in its row, so that a client that got no answer can look whether it was done. A row keeps the marks of
// its last writes, newest first and without a gap: so a write is seen also when others have written since, and that it is not among them says
// as much. What follows from marks is judge-write.ts's matter.
import { Buffer } from 'node:buffer';
import type { Chance } from '../flow/surroundings.js';
import { encodeProperty } from '../values/encode-property.js';
import { PatternError } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { textOf } from '../values/row-member.js';
import type { WireProperty } from '../values/wire-property.js';

/** Hexadecimal. */
export type Mark = string;

export interface MarkOptions {
  /** The property that holds the marks; `_op` if nothing is said. */
  readonly property?: string;
  /** Marks in a row, of 16 bytes each: from 2 to 256, and 64 if nothing is said. */
  readonly keep?: number;
  /** Marks that are older leave with the next write, all but the one before it; 60,000 if nothing is said. */
  readonly keepMilliseconds?: number;
}

const MARK_BYTES = 16;
const TIME_BYTES = 6;
const KEEP_MIN = 2;
/** 4 KiB. */
const KEEP_MAX = 256;

const timeOf = (mark: Mark): number => Number.parseInt(mark.slice(0, 2 * TIME_BYTES), 16);

function marksIn(base64: string): readonly Mark[] {
  const bytes = Buffer.from(base64, 'base64');
  const count = Math.floor(bytes.length / MARK_BYTES);
  return Array.from({ length: count }, (_, at) =>
    bytes.toString('hex', at * MARK_BYTES, (at + 1) * MARK_BYTES),
  );
}

export class OperationMarks {
  readonly property: string;
  readonly #keep: number;
  readonly #keepMilliseconds: number;
  readonly #chance: Chance;

  constructor({ property = '_op', keep = 64, keepMilliseconds = 60_000 }: MarkOptions, chance: Chance) {
    if (!Number.isInteger(keep) || keep < KEEP_MIN || keep > KEEP_MAX)
      throw new PatternError('DefinitionInvalid', {
        subject: 'marks',
        reason: `a row keeps from ${KEEP_MIN} to ${KEEP_MAX} marks, not ${keep}`,
      });
    this.property = property;
    this.#keep = keep;
    this.#keepMilliseconds = keepMilliseconds;
    this.#chance = chance;
  }

  /** A mark that no other write has. */
  next(): Mark {
    const time = Math.max(0, Math.floor(this.#chance.now()))
      .toString(16)
      .padStart(2 * TIME_BYTES, '0');
    return time + Buffer.from(this.#chance.random(MARK_BYTES - TIME_BYTES)).toString('hex');
  }

  /** Of a row of an answer. */
  ofRow(row: WireObject): readonly Mark[] {
    return marksIn(textOf(row, this.property) ?? '');
  }

  /** Of a row that was read, by what it has beyond its entity. */
  ofUnknown(unknown: readonly WireProperty[]): readonly Mark[] {
    const property = unknown.find(({ name, type }) => name === this.property && type === 'Binary');
    return property === undefined ? [] : marksIn(JSON.parse(property.literal));
  }

  /** What a row has beyond its entity, as the write with this mark leaves it. */
  added(mark: Mark, unknown: readonly WireProperty[]): readonly WireProperty[] {
    return [...unknown.filter(({ name }) => name !== this.property), this.encoded(mark, unknown)];
  }

  /** The property that the write with this mark sends. */
  encoded(mark: Mark, unknown: readonly WireProperty[] = []): WireProperty {
    const since = this.#chance.now() - this.#keepMilliseconds;
    const [before, ...earlier] = this.ofUnknown(unknown).filter(each => each !== mark);
    const end = earlier.findIndex(each => timeOf(each) < since);
    const young = end < 0 ? earlier : earlier.slice(0, end);
    const all = [mark, ...(before === undefined ? [] : [before]), ...young].slice(0, this.#keep);
    return encodeProperty(this.property, 'Binary', new Uint8Array(Buffer.from(all.join(''), 'hex')));
  }
}
