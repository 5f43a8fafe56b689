// The definition of a list: a set of ids under a key, in rows of a table. Rows of a list are rows of an entity of their own, so they are encoded, measured, tagged and distinguished
// like all rows. The row key is the list's key followed by the number of the row; 0 is the head. list-rows.ts defines their contents, list-repo.ts reads and writes them.

import type { AnyEntity } from '../../model/definition.js';
import { entity } from '../../model/entity.js';
import {
  type Key,
  type KeyDefinition,
  type KeyOn,
  key,
  keyOf,
  namesIn,
  type PartNames,
  part,
  partsOf,
} from '../../model/keys/key.js';
import { codec } from '../../model/keys/key-codec.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import { type Props, t, type ValueOf } from '../../values/property.js';

/** A list, as `list` makes it. */
export interface List<
  N extends string = string,
  P extends Props = Props,
  PK extends Key = Key,
  RK extends Key = Key,
> {
  readonly name: N;
  readonly table: string;
  readonly props: P;
  readonly partition: PK;
  readonly row: RK;
  /** Its rows, as an entity: for `checkTable` and for queries of several entities. */
  readonly rows: AnyEntity;
  /** A hint at a better design. */
  readonly warnings: readonly string[];
}

/** Any list. */
export type AnyList = List;

/** What names one list: the properties in its two keys. */
export type ListKey<L extends AnyList> = {
  readonly [K in (PartNames<L['partition']['parts']> | PartNames<L['row']['parts']>) &
    keyof L['props']]: ValueOf<L['props'][K]>;
};

/** The options of a list's definition. */
interface ListSpec<P extends Props, PK extends Key, RK extends Key> {
  readonly table: string;
  /** Those that are in its keys; others are left out. */
  readonly props: P;
  readonly partition: KeyDefinition<P, PK>;
  /** `p => key('last', p.lastName)`. The number of the row follows it. */
  readonly row: KeyDefinition<P, RK>;
  /** As that of an entity. */
  readonly tag?: string | false | undefined;
}

/** The design without a list's limits. */
export const ROWS_ADVICE =
  'Use one index row for each value and id, unless a single point read has to give the whole list: such rows have no limit of number, writers of different ids never meet, and each is deleted by itself.';

/** Digits of a chunk's number in a row key. */
const CHUNK_DIGITS = 4;
/** Properties of a row that hold ids. */
export const PIECES = 15;
const PIECE_NUMBERS = Array.from({ length: PIECES }, (_, at) => String(at).padStart(2, '0'));
/** The pieces of a row's ids, by their properties. */
export const PIECE_NAMES: readonly string[] = PIECE_NUMBERS.map(number => `listIds${number}`);

/** The properties of a list's rows other than its key; list-rows.ts documents their contents. */
const ROW_PROPS = {
  listRow: t.int32().stored('ListRow'),
  listCount: t.int32().stored('Count'),
  listNumbers: t.bytes().optional().stored('ChunkNumbers'),
  listFrom: t.bytes().optional().stored('FromId'),
  listTo: t.bytes().optional().stored('ToId'),
  ...Object.fromEntries(
    PIECE_NUMBERS.map(number => [`listIds${number}`, t.bytes().optional().stored(`Ids${number}`)]),
  ),
} as const;

/** Defines a list. Throws DefinitionInvalid for a definition that cannot work. */
export function list<const N extends string, P extends Props, PK extends KeyOn<P>, RK extends KeyOn<P>>(
  name: N,
  spec: ListSpec<P, PK, RK>,
): List<N, P, PK, RK> {
  const { table, props, tag } = spec;
  const partition = keyOf(`${name}.partition`, spec.partition, partsOf(props));
  const row = keyOf(`${name}.row`, spec.row, partsOf(props));
  const taken = [...namesIn(partition), ...namesIn(row)];
  const clash = taken.find(each => Object.hasOwn(ROW_PROPS, each));
  if (clash !== undefined)
    refuseDefinition(name, `${clash} is a property that rows of lists have themselves`);
  const own = Object.entries(props).filter(([each]) => taken.includes(each));
  const rowKey = key(...row.parts, part('listRow', codec.int(CHUNK_DIGITS))).joinedBy(row.separator);
  const rows = entity(name, {
    version: 1,
    table,
    props: { ...Object.fromEntries(own), ...ROW_PROPS },
    partition: partition as never,
    row: rowKey as never,
    ...(tag !== undefined && { tag }),
  }) as unknown as AnyEntity;
  if (rows.plan.rebucketing !== undefined)
    refuseDefinition(name, 'the number of buckets of its key is being changed');
  return Object.freeze({ name, table, props, partition, row, rows, warnings: [ROWS_ADVICE] });
}
