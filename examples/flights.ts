// The flights and airports of vega-datasets as entities, for the examples: flights by airport of departure, the latest first, and airports as a small
// lookup table.
import { parse } from 'csv-parse/sync';
import { codec, type Db, entity, Instant, key, type Of, t } from '#patterns';
import { readDatasetFile } from '../demo/films.js';

export const Flight = entity('Flight', {
  version: 1,
  table: 'Flights',
  props: {
    origin: t.string(),
    departure: t.instant(),
    /** Flights may leave at the same minute. */
    number: t.int32(),
    destination: t.string(),
    delayMinutes: t.int32(),
    miles: t.int32(),
  },
  partition: p => key(p.origin),
  row: p => key('flight', p.departure.as(codec.timeDesc), p.number.as(codec.int(5))),
});

export const Airport = entity('Airport', {
  version: 1,
  table: 'Airports',
  props: { code: t.string(), name: t.string(), city: t.string(), state: t.string() },
  partition: p => key(p.code),
  row: key('airport'),
});

export type FlightValue = Of<typeof Flight>;
export type AirportValue = Of<typeof Airport>;

interface FileFlight {
  readonly date: string;
  readonly delay: number;
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

/** `2001/01/01 06:55`, local to the airport; the file names no zone, so all are treated as one. */
const departureOf = (date: string): Instant =>
  Instant.parse(`${date.replaceAll('/', '-').replace(' ', 'T')}:00Z`);

export async function readFlights(): Promise<readonly FlightValue[]> {
  const rows: readonly FileFlight[] = JSON.parse(await readDatasetFile('flights-2k.json'));
  return rows.map(({ date, delay, distance, origin, destination }, number) => ({
    origin,
    departure: departureOf(date),
    number,
    destination,
    delayMinutes: delay,
    miles: distance,
  }));
}

export async function readAirports(): Promise<readonly AirportValue[]> {
  const [, ...records]: string[][] = parse(await readDatasetFile('airports.csv'));
  return records.map(([code = '', name = '', city = '', state = '']) => ({ code, name, city, state }));
}

/** Writes flights by partition, up to a hundred in one request. */
export async function loadFlights(db: Db, flights: readonly FlightValue[]): Promise<void> {
  const origins = new Map<string, FlightValue[]>();
  for (const flight of flights) origins.set(flight.origin, [...(origins.get(flight.origin) ?? []), flight]);
  for (const [origin, leaving] of origins)
    for (let at = 0; at < leaving.length; at += 100) {
      const batch = db.batch(Flight, { origin });
      for (const flight of leaving.slice(at, at + 100)) batch.create(Flight, flight);
      await batch.commit();
    }
}
