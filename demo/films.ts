// The films of vega-datasets/data/movies.json as entities: keys for the queries, a type for each column, and corrections
// of the file's errors.
import { readFile } from 'node:fs/promises';

/** A property as the client returns it: bigint is Int64, Date is DateTime, number is Int32 or Double. */
type Value = string | number | bigint | boolean | Date;

export interface Film {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly [property: string]: Value;
}

type FileFilm = Readonly<Record<string, string | number | null>>;

/** The text of a file of the npm package `vega-datasets`, which is installed for development. */
export const readDatasetFile = (file: string): Promise<string> =>
  readFile(new URL(`../data/${file}`, import.meta.resolve('vega-datasets')), 'utf8');

/** The films of the file end in 2010, except for two that were announced for 2011. */
const LAST_YEAR = 2011;

/**
 * A date of the file, `Jun 12 1998`. Two-digit years were once read as 20xx: Gone with the Wind is dated 2039. A year
 * after 2011 is therefore moved back by a century.
 */
export function releaseOf(text: string): Date {
  const date = new Date(`${text} UTC`);
  if (date.getUTCFullYear() > LAST_YEAR) date.setUTCFullYear(date.getUTCFullYear() - 100);
  return date;
}

/** Readable, and without the characters that keys forbid (protocol: data-model#keys). */
export const keyText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

/** Money: one film took more dollars than an Int32 holds. */
const INT64 = new Set(['US Gross', 'Worldwide Gross', 'US DVD Sales', 'Production Budget']);
/** JavaScript has one kind of number, so without this 7.0 would go out as an Int32. */
export const DOUBLE = 'IMDBRating';

function propertyOf(column: string, value: string | number): Value {
  if (column === 'Release Date') return releaseOf(String(value));
  // Nine titles are numbers (1776, 300).
  if (column === 'Title') return String(value);
  return INT64.has(column) ? BigInt(value) : value;
}

/** In the partition of its genre, by year and title: a title alone is not unique, and years are then ranges of keys. */
export function filmOf(row: FileFilm): Film {
  const properties: Record<string, Value> = {};
  // A missing value is not a property, and names of properties have no spaces.
  for (const [column, value] of Object.entries(row))
    if (value !== null) properties[column.replaceAll(' ', '')] = propertyOf(column, value);
  const year = releaseOf(String(row['Release Date'])).getUTCFullYear();
  return {
    partitionKey: keyText(String(row['Major Genre'] ?? 'unknown')),
    rowKey: `${year}_${keyText(String(row.Title ?? 'untitled'))}`,
    ...properties,
  };
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** In the order of a table. */
export async function readFilms(): Promise<readonly Film[]> {
  const rows: readonly FileFilm[] = JSON.parse(await readDatasetFile('movies.json'));
  return rows
    .map(filmOf)
    .sort((a, b) => compareText(a.partitionKey, b.partitionKey) || compareText(a.rowKey, b.rowKey));
}
