// The members of every row of an answer, whatever its entity: keys, ETag and time; and the tag of rows of entities, which is an entity's name and version, as `Employee.2`. Rows of other programs may have the name
// alone.
import { Instant, instantOfEtag } from '../values/instant.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { textOf } from '../values/row-member.js';

/** Keys of a row, which an answer always has, whatever was selected. */
export function readAddress(row: WireObject, table: string): RowAddress {
  const partitionKey = textOf(row, 'PartitionKey');
  const rowKey = textOf(row, 'RowKey');
  if (partitionKey === undefined || rowKey === undefined)
    throw new PatternError('ServiceRefused', {
      status: 200,
      code: 'NoKeys',
      text: 'A row came without keys.',
    });
  return { table, partitionKey, rowKey };
}

interface Head extends RowAddress {
  readonly etag: string;
  readonly timestamp: Instant | undefined;
}

export function readHead(
  row: WireObject,
  { table, etag }: { table: string; etag: string | undefined },
): Head {
  const found = etag ?? textOf(row, 'odata.etag') ?? '';
  const time = textOf(row, 'Timestamp');
  const timestamp = time === undefined ? instantOfEtag(found) : Instant.parse(time);
  return { ...readAddress(row, table), etag: found, timestamp };
}

/** The name and version that a tag says. */
interface TypeTag {
  readonly name: string;
  readonly version: number;
}

const TAG = /^(.+)\.([1-9]\d{0,8})$/s;

/** `Employee.2`. */
export const formatTag = ({ name, version }: TypeTag): string => `${name}.${version}`;

/** A text without a version is a name, of version 1. */
export function parseTag(text: string): TypeTag {
  const [, name, version] = TAG.exec(text) ?? [];
  return name === undefined ? { name: text, version: 1 } : { name, version: Number(version) };
}
