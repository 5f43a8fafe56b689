// Converts airports.csv to entities: the columns that become keys, those that become properties, and missing values.
import { type Dataset, dataset, type Entity, type Value } from './dataset.js';
import { parseCsv } from './parse-csv.js';

const HEADER = ['iata', 'name', 'city', 'state', 'country', 'latitude', 'longitude'];

/** The file's text for a missing value. */
const MISSING = 'NA';

export const UNKNOWN_STATE = 'unknown';

function decodeNumber(text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isFinite(number)) throw new Error(`airports.csv holds '${text}' for a number.`);
  return number;
}

function decodeAirport(record: readonly string[]): Entity {
  if (record.length !== HEADER.length)
    throw new Error(`airports.csv holds ${record.length} fields in a row.`);
  const [iata = '', name = '', city = '', state = '', country = '', latitude = '', longitude = ''] = record;
  const properties: Record<string, Value> = {
    name,
    country,
    latitude: decodeNumber(latitude),
    longitude: decodeNumber(longitude),
  };
  if (city !== MISSING) properties.city = city;
  return { partitionKey: state === MISSING ? UNKNOWN_STATE : state, rowKey: iata, ...properties };
}

/** @throws Error if the text is not the airports.csv that this was written for. */
export function decodeAirports(text: string): Dataset {
  const [header = [], ...records] = parseCsv(text);
  if (header.join() !== HEADER.join()) throw new Error(`airports.csv has the columns ${header.join()}.`);
  return dataset('airports', 'airports.csv', records.map(decodeAirport), ['latitude', 'longitude']);
}
