// The rows that every subject holds: about 1 KB of JSON each, every value of a known width and a function of the row's
// number, so that an answer can be compared with its expected content. requests.ts builds the requests.
import {
  GROUP_ROWS,
  PARTITION_ROWS,
  type Part,
  partBytes,
  partitionOf,
  RANKS,
  rankOf,
  slot,
} from './template.js';

const ENTITY_BYTES = 1024;
const NARROW_NOTE_BYTES = 80;
/** The value that the filter selects: the first rows have it, so that small tables do too. */
export const RANK_SOUGHT = RANKS + 50;
/** The stock of a row that was loaded or inserted; merges write another number of six digits. */
export const STOCK = 100_000;

/** The expected properties of an entity, as in JSON. */
export type Properties = Readonly<Record<string, unknown>>;

const VISITS = '9007199254740993';
const BALANCE = 1234.5;
const SINCE = '2024-05-06T07:08:09.1234567Z';
const SENTENCE =
  'Prefers to be called in the morning, pays on time, asked twice for the new list of prices. ';

/** JSON without the notes, which pad it. */
function jsonParts(
  partition: Part,
  row: readonly Part[],
  name: Part,
  rank: Part,
  notes = NOTES,
  stock = STOCK,
): Part[] {
  return [
    '{"PartitionKey":"p',
    partition,
    '","RowKey":"',
    ...row,
    '","Name":"customer ',
    name,
    '","Rank":',
    rank,
    `,"Stock":${stock},"Visits@odata.type":"Edm.Int64","Visits":"${VISITS}","Balance":${BALANCE},"Active":true,`,
    `"Since@odata.type":"Edm.DateTime","Since":"${SINCE}","Notes":"${notes}"}`,
  ];
}

const loadedParts = (offset: number, notes?: string): Part[] => {
  const member = slot('member', offset);
  // A row's key has ten digits wherever it stands, and the member's number is the row's number here.
  const number = { ...member, digits: slot('row').digits };
  return jsonParts(slot('memberPartition', offset), [number], number, slot('memberRank', offset), notes);
};

const NOTES = SENTENCE.repeat(Math.ceil(ENTITY_BYTES / SENTENCE.length)).slice(
  0,
  ENTITY_BYTES - partBytes(loadedParts(0, '')),
);

/** The entity of row `sequence * MEMBERS + offset`: what loading sends. */
export const loadedEntity = (offset: number): Part[] => loadedParts(offset);

/** The same row with few properties: 200 bytes in a store. */
export function narrowEntity(offset: number): Part[] {
  const number = { ...slot('member', offset), digits: slot('row').digits };
  const [partition, rank] = [slot('memberPartition', offset), slot('memberRank', offset)];
  const keys = ['{"PartitionKey":"p', partition, '","RowKey":"', number];
  return [...keys, '","Rank":', rank, `,"Stock":${STOCK},"Note":"${NOTES.slice(0, NARROW_NOTE_BYTES)}"}`];
}

/** The row that the request falls on, with another stock: its state after a merge. */
export const mergedEntity = (stock: number): Part[] =>
  jsonParts(slot('partition'), [slot('row')], slot('row'), slot('rank'), NOTES, stock);

/** A new row next to the row that the request falls on. */
export const insertedEntity = (): Part[] =>
  jsonParts(slot('partition'), insertedKey(), slot('unique'), slot('rank'));

/** A new row in a transaction: its members are adjacent. */
export const memberEntity = (offset: number): Part[] =>
  jsonParts(slot('partition'), memberKey(offset), slot('member', offset), slot('rank'));

export const insertedKey = (): Part[] => [slot('row'), '.', slot('unique')];
export const memberKey = (offset: number): Part[] => [slot('row'), '.', slot('member', offset)];

export const partitionKey = (row: number): string => `p${String(partitionOf(row)).padStart(6, '0')}`;
export const rowKey = (row: number): string => String(row).padStart(10, '0');

/** Every property of a loaded row except the stock, which merges change. */
export function expectedProperties(row: number): Properties {
  return {
    PartitionKey: partitionKey(row),
    RowKey: rowKey(row),
    Name: `customer ${rowKey(row)}`,
    Rank: rankOf(row),
    Visits: VISITS,
    Balance: BALANCE,
    Active: true,
    Since: SINCE,
    Notes: NOTES,
  };
}

/** Half-open bounds of the rows of a partition of a table of `rows` rows. */
export const rowsOfPartition = (partition: number, rows: number): { from: number; until: number } => ({
  from: partition * PARTITION_ROWS,
  until: Math.min(rows, (partition + 1) * PARTITION_ROWS),
});

/** The rows of a partition that the filter takes. */
export function soughtRows(partition: number, rows: number): number[] {
  const { from, until } = rowsOfPartition(partition, rows);
  const found: number[] = [];
  const first = from + ((RANK_SOUGHT - RANKS - (from % RANKS) + RANKS) % RANKS);
  for (let row = first; row < until; row += RANKS) found.push(row);
  return found;
}

/** The rows of the group that holds a row. */
export const groupRows = (row: number): number[] =>
  Array.from({ length: GROUP_ROWS }, (_, index) => row - (row % GROUP_ROWS) + index);
