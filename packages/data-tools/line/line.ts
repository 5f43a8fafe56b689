// The line: a row as one JSON object that is also a legal body of Insert Entity. `{"PartitionKey":…,"RowKey":…,"Timestamp":…`,
// then the properties by name, each of Int64, Double, DateTime, Guid and Binary behind its `"name@odata.type"`. The
// same row gives the same bytes; docs/data-tools.md documents it to the byte. read-rows.ts reads it.
import { formatString } from './literal.js';
import type { EdmType, Property, Row } from './row.js';

const ANNOTATED: ReadonlySet<EdmType> = new Set(['Int64', 'Double', 'DateTime', 'Guid', 'Binary']);

/** The members of the properties, each with a comma before it. */
function formatProperties(properties: readonly Property[]): string {
  let text = '';
  for (const { name, type, literal } of properties) {
    if (ANNOTATED.has(type)) text += `,${formatString(`${name}@odata.type`)}:"Edm.${type}"`;
    text += `,${formatString(name)}:${literal}`;
  }
  return text;
}

/** The line, without the line feed at its end, and its content: the input of a checksum, and of a load's request. */
export function formatBoth(row: Row): { readonly line: string; readonly content: string } {
  const keys = `{"PartitionKey":${formatString(row.partitionKey)},"RowKey":${formatString(row.rowKey)}`;
  const properties = formatProperties(row.properties);
  const time = row.timestamp === undefined ? '' : `,"Timestamp":"${row.timestamp}"`;
  return { line: `${keys}${time}${properties}}`, content: `${keys}${properties}}` };
}

export const formatLine = (row: Row): string => formatBoth(row).line;

/** The line without its Timestamp. */
export const formatContent = (row: Row): string => formatBoth(row).content;
