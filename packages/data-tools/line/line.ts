// The line: a row as one JSON object that is also a legal body of Insert Entity. `{"PartitionKey":…,"RowKey":…,"Timestamp":…`,
// then the properties by name, each of Int64, Double, DateTime, Guid and Binary behind its `"name@odata.type"`. The
// same row gives the same bytes; docs/data-tools.md documents it to the byte. read-rows.ts reads it.
import { formatString } from './literal.js';
import type { EdmType, Property, Row } from './row.js';

const ANNOTATED: ReadonlySet<EdmType> = new Set(['Int64', 'Double', 'DateTime', 'Guid', 'Binary']);

/** Tables have few names, and each row repeats them: without these texts `verify` takes a third longer. */
const NAMES_KEPT_MAX = 5000;
const openings = new Map<EdmType, Map<string, string>>();

/** The text before a value: `,"name":` or `,"name@odata.type":"Edm.Int64","name":`. */
function openingOf({ name, type }: Property): string {
  let ofType = openings.get(type);
  if (ofType === undefined || ofType.size > NAMES_KEPT_MAX) {
    ofType = new Map();
    openings.set(type, ofType);
  }
  const known = ofType.get(name);
  if (known !== undefined) return known;
  const annotation = ANNOTATED.has(type) ? `,${formatString(`${name}@odata.type`)}:"Edm.${type}"` : '';
  const opening = `${annotation},${formatString(name)}:`;
  ofType.set(name, opening);
  return opening;
}

/** The members of the properties, each with a comma before it. */
function formatProperties(properties: readonly Property[]): string {
  let text = '';
  for (const property of properties) text += openingOf(property) + property.literal;
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
