// Lookups: the names of airports are in a small table, which is cached while the flights are streamed.
import assert from 'node:assert/strict';
import { open } from '#patterns';
import { lookup } from '#patterns/joins';
import type { Example } from './example.js';
import { Airport, Flight, loadFlights, readAirports, readFlights } from './flights.js';

export const lookups: Example = {
  title: 'Lookups: flights joined with the names of airports',
  async run(client, say) {
    const [flights, airports] = [await readFlights(), await readAirports()];
    await client.createTable(Flight.table);
    await client.createTable(Airport.table);
    const db = open({ tables: client });
    await loadFlights(db, flights);
    const names = new Map(airports.map(airport => [airport.code, airport.name]));
    const served = new Set(flights.map(({ destination }) => destination));
    for (const airport of airports) if (served.has(airport.code)) await db.repo(Airport).create(airport);

    const airportOf = lookup(db, Airport, { ttl: 60_000, maxRows: 500 });
    const leaving = db
      .repo(Flight)
      .partition({ origin: 'SEA' })
      .where(flight => flight.delayMinutes.gt(30));
    let count = 0;
    for await (const [{ value }, airport] of airportOf.join(leaving, flight => ({
      code: flight.value.destination,
    }))) {
      say(`  ${value.delayMinutes} minutes late to ${airport?.value.name ?? value.destination}`);
      assert.equal(airport?.value.name, names.get(value.destination));
      count++;
    }
    assert.equal(
      count,
      flights.filter(({ origin, delayMinutes }) => origin === 'SEA' && delayMinutes > 30).length,
    );
    say(`${count} late flights, ${airportOf.size} airports read`);
  },
};
