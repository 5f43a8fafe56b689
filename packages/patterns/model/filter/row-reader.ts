// Readers of rows for evaluate.ts: a row as the service sends it, or a value as it would be stored.

import { decodeProperty } from '../../values/decode-property.js';
import { readRow, type WireObject } from '../../values/read-wire.js';
import { annotationOf, memberOf } from '../../values/row-member.js';
import { wireText } from '../../values/wire-property.js';
import type { AnyEntity, Of } from '../definition.js';
import { encodeEntity } from '../encode-entity.js';
import type { RowReader } from './evaluate.js';

/** A reader of a row as the service sends it. Its Timestamp has no type there and is a time. */
export function readerOf(row: WireObject): RowReader {
  return name => {
    const value = memberOf(row, name);
    const annotation = name === 'Timestamp' ? 'Edm.DateTime' : memberOf(row, annotationOf(name));
    return value === undefined ? undefined : decodeProperty(value, annotation);
  };
}

/** A reader of a value as it would be stored. Throws what encoding it throws. */
export const readerOfValue = <E extends AnyEntity>(entity: E, value: Of<E>): RowReader =>
  readerOf(readRow(wireText(encodeEntity(entity, value))));
