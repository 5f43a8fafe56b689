// Operation ids: random bytes that a write leaves in its row, so that a client without an answer can find out whether it was applied. A row keeps the
// ids of its last writes, newest first and without a gap: a write is found also after later writes by others, and its absence proves as much.
// settled-writes.ts draws the conclusions.
import type { Chance } from '../../concurrency/surroundings.js';
import { fromBase64, fromHex, toHex } from '../../values/bytes.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { checkPropertyName, textOf } from '../../values/row-member.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';

/** Hexadecimal. */
export type OperationId = string;

/** Where rows keep operation ids, and how many. */
export interface OperationIdOptions {
  /** The property that holds the operation ids; `_op` by default. */
  readonly property?: string;
  /** Operation ids in a row, of 16 bytes each: from 2 to 256, and 64 by default. */
  readonly keep?: number;
  /** Ids older than this are removed by the next write, except the newest one before it; 60,000 by default. */
  readonly keepMilliseconds?: number;
}

const ID_BYTES = 16;
const TIME_BYTES = 6;
const KEEP_MIN = 2;
/** 4 KiB. */
const KEEP_MAX = 256;

const timeOf = (operationId: OperationId): number =>
  Number.parseInt(operationId.slice(0, 2 * TIME_BYTES), 16);

function idsIn(base64: string): readonly OperationId[] {
  const bytes = fromBase64(base64) ?? new Uint8Array();
  const count = Math.floor(bytes.length / ID_BYTES);
  return Array.from({ length: count }, (_, at) => toHex(bytes.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)));
}

export class OperationIds {
  readonly property: string;
  readonly keep: number;
  readonly keepMilliseconds: number;
  readonly chance: Chance;

  constructor(
    { property = '_op', keep = 64, keepMilliseconds = 60_000 }: OperationIdOptions,
    chance: Chance,
  ) {
    if (!Number.isInteger(keep) || keep < KEEP_MIN || keep > KEEP_MAX)
      refuseDefinition('operationIds', `a row keeps ${KEEP_MIN} to ${KEEP_MAX} operation ids, not ${keep}`);
    checkPropertyName('operationIds', property);
    this.property = property;
    this.keep = keep;
    this.keepMilliseconds = keepMilliseconds;
    this.chance = chance;
  }

  /** An operation id that no other write has. */
  next(): OperationId {
    const time = Math.max(0, Math.floor(this.chance.now()))
      .toString(16)
      .padStart(2 * TIME_BYTES, '0');
    return time + toHex(this.chance.random(ID_BYTES - TIME_BYTES));
  }

  /** Of a row of an answer. */
  ofRow(row: WireObject): readonly OperationId[] {
    return idsIn(textOf(row, this.property) ?? '');
  }

  /** Of a row that was read, by what it has beyond its entity. */
  ofUnknown(unknown: readonly WireProperty[]): readonly OperationId[] {
    const property = unknown.find(({ name, type }) => name === this.property && type === 'Binary');
    return property === undefined ? [] : idsIn(JSON.parse(property.literal));
  }

  /** What a row has beyond its entity, as the write with this operation id leaves it. */
  added(operationId: OperationId, unknown: readonly WireProperty[]): readonly WireProperty[] {
    const kept = unknown.filter(({ name }) => name !== this.property);
    return [...kept, this.encoded(operationId, unknown)];
  }

  /** The property that the write with this operation id sends. */
  encoded(operationId: OperationId, unknown: readonly WireProperty[] = []): WireProperty {
    const since = this.chance.now() - this.keepMilliseconds;
    const [before, ...earlier] = this.ofUnknown(unknown).filter(each => each !== operationId);
    const end = earlier.findIndex(each => timeOf(each) < since);
    const young = end < 0 ? earlier : earlier.slice(0, end);
    const all = [operationId, ...(before === undefined ? [] : [before]), ...young].slice(0, this.keep);
    return encodeProperty(this.property, 'Binary', fromHex(all.join('')));
  }
}
