// Log tail: with reversed time in the row key, the latest rows of a partition are its first, and are read without
// reading any other.
import assert from 'node:assert/strict';
import { type Instant, open } from '#patterns';
import type { Example } from './example.js';
import { Flight, type FlightValue, loadFlights, readFlights } from './flights.js';

const later = (a: FlightValue, b: FlightValue): number =>
  a.departure.ticks === b.departure.ticks
    ? a.number - b.number
    : a.departure.ticks > b.departure.ticks
      ? -1
      : 1;

const clock = (time: Instant): string => time.toString().slice(0, 16);

export const logTail: Example = {
  title: 'Log tail: the latest flights of an airport',
  async run(client, say) {
    const flights = await readFlights();
    await client.createTable(Flight.table);
    const db = open({ tables: client });
    await loadFlights(db, flights);
    const leaving = db.repo(Flight).partition({ origin: 'LAX' });
    const expected = flights.filter(({ origin }) => origin === 'LAX').sort(later);

    const latest = await leaving.latest(5);
    for (const { value } of latest) say(`  ${clock(value.departure)}  LAX to ${value.destination}`);
    assert.deepEqual(
      latest.map(({ value }) => value.number),
      expected.slice(0, 5).map(({ number }) => number),
    );

    const [, , third] = latest;
    assert(third);
    const before = leaving.rows({}, { departure: { lt: third.value.departure } });
    say(`Before ${clock(third.value.departure)}: ${before.explain().class}`);
    const next = await before.take(2);
    const wanted = expected.filter(({ departure }) => departure.ticks < third.value.departure.ticks);
    assert.deepEqual(
      next.map(({ value }) => value.number),
      wanted.slice(0, 2).map(({ number }) => number),
    );
  },
};
