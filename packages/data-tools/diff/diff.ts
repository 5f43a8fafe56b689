// `diff`: the differences between the tables of two sources, accounts or dumps, a JSON line each. Both sides are read
// in parallel in the order of keys; types and -0 count, Timestamps if asked for.
import { Dump } from '../dump/read-dump.js';
import { formatString } from '../line/literal.js';
import { compareKeys, compareText, type Property, type Row } from '../line/row.js';
import type { ToolContext, ToolResult } from '../run/context.js';
import { RowCursor, type RowSource } from '../source/row-source.js';
import { checkChoice, chooseTables, type TableChoice, type TableName } from '../source/table-names.js';

interface DiffOptions {
  readonly from: RowSource;
  readonly to: RowSource;
  readonly choice: TableChoice;
  readonly timestamps?: boolean | undefined;
}

export type DiffResult = ToolResult<{ readonly differences: number }>;

type Kind = 'only-from' | 'only-to' | 'differs';

/** A value as `[type, value]`, the value as in its line. */
const valueText = (property: Property | undefined): string =>
  property === undefined ? 'null' : `["${property.type}",${property.literal}]`;

/** Including the Timestamp if asked for. */
const propertiesOf = (row: Row | undefined, timestamps: boolean): readonly Property[] => {
  if (row === undefined) return [];
  if (!timestamps || row.timestamp === undefined) return row.properties;
  const timestamp: Property = { name: 'Timestamp', type: 'DateTime', literal: `"${row.timestamp}"` };
  return [timestamp, ...row.properties];
};

/** The members of `properties` in which the rows differ. Text, not an object: a name may be `__proto__`. */
function differences(from: readonly Property[], to: readonly Property[]): readonly string[] {
  const others = new Map(to.map(property => [property.name, property]));
  const members: (readonly [string, string])[] = [];
  const add = (name: string, one: Property | undefined, other: Property | undefined): void => {
    if (one?.type === other?.type && one?.literal === other?.literal) return;
    members.push([name, `${formatString(name)}:{"from":${valueText(one)},"to":${valueText(other)}}`]);
  };
  for (const property of from) {
    add(property.name, property, others.get(property.name));
    others.delete(property.name);
  }
  for (const [name, property] of others) add(name, undefined, property);
  return members.sort(([one], [other]) => compareText(one, other)).map(([, text]) => text);
}

const lineOf = (table: string, row: Row, kind: Kind, members: readonly string[]): string =>
  `{"table":${formatString(table)},"PartitionKey":${formatString(row.partitionKey)},"RowKey":${formatString(row.rowKey)},"kind":"${kind}","properties":{${members.join()}}}\n`;

/** The line of a difference; undefined if there is none. */
function difference(
  table: string,
  from: Row | undefined,
  to: Row | undefined,
  timestamps: boolean,
): string | undefined {
  const row = from ?? to;
  if (row === undefined) return undefined;
  const members = differences(propertiesOf(from, timestamps), propertiesOf(to, timestamps));
  if (from !== undefined && to !== undefined)
    return members.length === 0 ? undefined : lineOf(table, row, 'differs', members);
  return lineOf(table, row, from === undefined ? 'only-to' : 'only-from', members);
}

/** The tables on both sides, or on one of them if all are compared. */
async function pairs({
  from,
  to,
  choice,
}: DiffOptions): Promise<readonly (TableName & { readonly on: 'both' | 'from' | 'to' })[]> {
  checkChoice(choice);
  if (!choice.all) return (await chooseTables(choice, from)).map(name => ({ ...name, on: 'both' as const }));
  const [ours, theirs] = await Promise.all([from.tables(), to.tables()]);
  const other = new Map(theirs.map(name => [name.toLowerCase(), name]));
  const found = ours.map(name => {
    const there = other.get(name.toLowerCase());
    other.delete(name.toLowerCase());
    return { from: name, to: there ?? name, on: there === undefined ? ('from' as const) : ('both' as const) };
  });
  return [...found, ...[...other.values()].map(name => ({ from: name, to: name, on: 'to' as const }))];
}

async function* nothing(): AsyncGenerator<readonly Row[], void> {}

/** Length of lines that are gathered before they are written. */
const LINES_LENGTH = 64 * 1024;

/** @throws ToolError */
export async function diff(
  options: DiffOptions,
  { reporter, source, write }: ToolContext,
): Promise<DiffResult> {
  const { from, to, timestamps = false } = options;
  const hasContents = [from, to].some(
    side => side instanceof Dump && (side.manifest.queues ?? side.manifest.containers) !== undefined,
  );
  if (hasContents) reporter.tell('note', { message: 'Tables are compared; queues and containers are not.' });
  const names = await pairs(options);
  let count = 0;
  let text = '';
  for (const { from: table, to: other, on } of names) {
    reporter.range('begins');
    const here = new RowCursor(on === 'to' ? nothing() : from.pages(table));
    const there = new RowCursor(on === 'from' ? nothing() : to.pages(other));
    let rows = 0;
    for (;;) {
      const [one, two] = await Promise.all([here.next(), there.next()]);
      if (one === undefined && two === undefined) break;
      source.signal?.throwIfAborted();
      const order = one === undefined ? 1 : two === undefined ? -1 : compareKeys(one, two);
      const line = difference(table, order <= 0 ? one : undefined, order >= 0 ? two : undefined, timestamps);
      if (order <= 0) here.take();
      if (order >= 0) there.take();
      if (++rows % 1000 === 0) reporter.rows(1000);
      if (line === undefined) continue;
      count++;
      text += line;
      if (text.length < LINES_LENGTH) continue;
      await write(text);
      text = '';
    }
    reporter.rows(rows % 1000);
    if (rows === 0 && on !== 'both') {
      count++;
      text += `{"table":${formatString(table)},"PartitionKey":null,"RowKey":null,"kind":"only-${on}","properties":{}}\n`;
    }
    reporter.range('done');
  }
  if (text !== '') await write(text);
  return { tables: names.length, exit: count === 0 ? 'done' : 'different', more: { differences: count } };
}
