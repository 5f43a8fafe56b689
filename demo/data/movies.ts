// Converts movies.json to entities: a type for every column, keys for the queries, and corrections of the file's errors.
import { type Dataset, dataset, type Entity, type Value } from './dataset.js';
import { keyText } from './key-text.js';

export const UNKNOWN_GENRE = 'unknown';

/** The films of the file end in 2010, except for two that were announced for 2011. */
const LAST_YEAR = 2011;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DATE = /^([A-Z][a-z]{2}) (\d{2}) (\d{4})$/;

type ColumnType = 'String' | 'Int32' | 'Int64' | 'Double';

/** Property names have letters, digits and _ only (protocol: data-model#property-names). Release Date and Title are converted further. */
const COLUMNS: readonly (readonly [column: string, property: string, type: ColumnType])[] = [
  ['US Gross', 'UsGross', 'Int64'],
  ['Worldwide Gross', 'WorldwideGross', 'Int64'],
  ['US DVD Sales', 'UsDvdSales', 'Int64'],
  ['Production Budget', 'ProductionBudget', 'Int64'],
  ['MPAA Rating', 'MpaaRating', 'String'],
  ['Running Time min', 'RunningMinutes', 'Int32'],
  ['Distributor', 'Distributor', 'String'],
  ['Source', 'Source', 'String'],
  ['Major Genre', 'MajorGenre', 'String'],
  ['Creative Type', 'CreativeType', 'String'],
  ['Director', 'Director', 'String'],
  ['Rotten Tomatoes Rating', 'RottenTomatoesRating', 'Int32'],
  ['IMDB Rating', 'ImdbRating', 'Double'],
  ['IMDB Votes', 'ImdbVotes', 'Int32'],
];

export interface Release {
  readonly date: Date;
  /** The file's year was a century late and is corrected. */
  readonly centuryCorrected: boolean;
}

/**
 * Parses a date of the file, `Jun 12 1998`. Two-digit years were once read as 20xx: Gone with the Wind is dated 2039. A
 * year after 2011 is therefore moved back by a century.
 *
 * @throws Error for any other text.
 */
export function decodeRelease(text: string): Release {
  const [, monthName = '', day = '', fileYear = ''] = DATE.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName);
  const centuryCorrected = Number(fileYear) > LAST_YEAR;
  const year = Number(fileYear) - (centuryCorrected ? 100 : 0);
  const date = new Date(Date.UTC(year, month, Number(day)));
  if (month < 0 || date.getUTCDate() !== Number(day))
    throw new Error(`movies.json holds the date '${text}'.`);
  return { date, centuryCorrected };
}

function decodeValue(value: unknown, type: ColumnType): Value {
  if (type === 'String') {
    if (typeof value === 'string') return value;
  } else if (typeof value === 'number') {
    if (type === 'Int64' && Number.isSafeInteger(value)) return BigInt(value);
    if (type === 'Int32' && (value | 0) === value) return value;
    if (type === 'Double' && Number.isFinite(value)) return value;
  }
  throw new Error(`movies.json holds ${JSON.stringify(value)} for an Edm.${type}.`);
}

/** Nine titles are numbers in the file (1776, 300): a property of one meaning has one type, so they are strings here. */
function decodeTitle(value: unknown): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'number' ? String(value) : String(decodeValue(value, 'String'));
}

function decodeMovie(row: unknown): Entity {
  if (typeof row !== 'object' || row === null) throw new Error('movies.json holds a row that is no object.');
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(row));
  const title = decodeTitle(values.get('Title'));
  const { date, centuryCorrected } = decodeRelease(String(values.get('Release Date')));
  const properties: Record<string, Value> = { ReleaseDate: date, CenturyCorrected: centuryCorrected };
  if (title !== undefined) properties.Title = title;
  for (const [column, property, type] of COLUMNS) {
    const value = values.get(column);
    if (value !== null) properties[property] = decodeValue(value, type);
  }
  return {
    partitionKey: keyText(String(properties.MajorGenre ?? UNKNOWN_GENRE)),
    rowKey: `${date.getUTCFullYear()}_${keyText(title ?? 'untitled')}`,
    ...properties,
  };
}

/** @throws Error if the text is not the movies.json that this was written for. */
export function decodeMovies(text: string): Dataset {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('movies.json is not a list.');
  const doubles = COLUMNS.filter(([, , type]) => type === 'Double').map(([, property]) => property);
  return dataset('movies', 'movies.json', rows.map(decodeMovie), doubles);
}
