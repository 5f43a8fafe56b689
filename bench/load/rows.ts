// The rows that every subject holds: about 1 KB of JSON each, every value of a known width and a function of the row's number, so that
// an answer can be compared with its expected content. Their texts have gaps (gaps.ts).
import { filledLength } from './gaps.js';

/** The rows of a full partition, as in the goal for filters. */
export const PARTITION_ROWS = 100_000;
/** Members of a transaction, the service's maximum (protocol: batches#rules), and rows in the answer to a range query. */
export const GROUP_ROWS = 100;
/** Ranks repeat after this many rows, and have five digits. */
const RANKS = 10_000;
/** The value that the filter selects: the first rows have it, so that small tables do too. */
export const RANK_SOUGHT = RANKS + 50;
export const ENTITY_BYTES = 1024;
const NARROW_NOTE_BYTES = 80;
/** Merges write another number of six digits. */
const STOCK = 100_000;
const VISITS = '9007199254740993';
const BALANCE = 1234.5;
const SINCE = '2024-05-06T07:08:09.1234567Z';
const SENTENCE =
  'Prefers to be called in the morning, pays on time, asked twice for the new list of prices. ';

export const partitionText = (row: string, size = PARTITION_ROWS): string => `p{6:floor(${row} / ${size})}`;
/** The number of a transaction's member. */
export const memberNumber = (offset: number): string => `(sequence * ${GROUP_ROWS} + ${offset})`;

interface Written {
  /** Expressions. */
  readonly row?: string;
  readonly name?: string;
  /** Text. */
  readonly key?: string;
  readonly stock?: number;
  readonly partitionRows?: number | undefined;
}

const jsonOf = (
  { row = 'row', name = row, key = `{10:${row}}`, stock = STOCK, partitionRows }: Written,
  notes: string,
): string =>
  `{"PartitionKey":"${partitionText(row, partitionRows)}","RowKey":"${key}","Name":"customer {10:${name}}",` +
  `"Rank":{5:${RANKS} + ${row} % ${RANKS}},"Stock":${stock},"Visits@odata.type":"Edm.Int64",` +
  `"Visits":"${VISITS}","Balance":${BALANCE},"Active":true,"Since@odata.type":"Edm.DateTime",` +
  `"Since":"${SINCE}","Notes":"${notes}"}`;

const NOTES = SENTENCE.repeat(Math.ceil(ENTITY_BYTES / SENTENCE.length)).slice(
  0,
  ENTITY_BYTES - filledLength(jsonOf({}, '')),
);

/** The row of a number, which is an expression. */
export const loadedEntity = (row: string, partitionRows?: number): string =>
  jsonOf({ row, partitionRows }, NOTES);

/** The row that the request falls on, with another stock: its state after a merge. */
export const mergedEntity = (): string => jsonOf({ stock: STOCK + 1 }, NOTES);

/** A new row next to the row that the request falls on. */
export const INSERTED_KEY = '{10:row}.{10:sequence}';
export const insertedEntity = (): string => jsonOf({ name: 'sequence', key: INSERTED_KEY }, NOTES);

/** A new row in a transaction, whose members are adjacent. */
export const memberKey = (offset: number): string => `{10:row}.{12:${memberNumber(offset)}}`;
export const memberEntity = (offset: number): string =>
  jsonOf({ name: memberNumber(offset), key: memberKey(offset) }, NOTES);

/** A row with few properties: 200 bytes in a store. */
export const narrowEntity = (row: string, partitionRows?: number): string =>
  `{"PartitionKey":"${partitionText(row, partitionRows)}","RowKey":"{10:${row}}",` +
  `"Rank":{5:${RANKS} + ${row} % ${RANKS}},"Stock":${STOCK},"Note":"${NOTES.slice(0, NARROW_NOTE_BYTES)}"}`;

export const partitionKey = (row: number, size = PARTITION_ROWS): string =>
  `p${String(Math.floor(row / size)).padStart(6, '0')}`;
/** As in the gaps. */
export const rowKey = (row: number): string => String(row).padStart(10, '0');

/** Every property of a loaded row except the stock, which merges change. */
export const expectedProperties = (row: number): Readonly<Record<string, unknown>> => ({
  PartitionKey: partitionKey(row),
  RowKey: rowKey(row),
  Name: `customer ${rowKey(row)}`,
  Rank: RANKS + (row % RANKS),
  Visits: VISITS,
  Balance: BALANCE,
  Active: true,
  Since: SINCE,
  Notes: NOTES,
});

/** The number of full partitions, which filters visit in turn; a smaller table has one. */
export const fullPartitions = (rows: number): number => Math.max(1, Math.floor(rows / PARTITION_ROWS));

/** The rows of a partition that the filter takes. */
export function soughtRows(partition: number, rows: number): number[] {
  const found: number[] = [];
  const until = Math.min(rows, (partition + 1) * PARTITION_ROWS);
  for (let row = partition * PARTITION_ROWS + RANK_SOUGHT - RANKS; row < until; row += RANKS) found.push(row);
  return found;
}

/** The rows of the group that holds a row. */
export const groupRows = (row: number): number[] =>
  Array.from({ length: GROUP_ROWS }, (_, index) => row - (row % GROUP_ROWS) + index);
