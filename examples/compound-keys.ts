// Compound keys: year and title are the row key of a film, so that the films of a year, or of several years, are a range of keys instead of a filtered list.
import assert from 'node:assert/strict';
import { open } from '#patterns';
import type { Example } from './example.js';
import { Film, loadFilms, readFilms } from './films.js';

export const compoundKeys: Example = {
  title: 'Compound keys: the films of a genre by year and title',
  async run(client, say) {
    const films = await readFilms();
    await client.createTable(Film.table);
    const db = open({ tables: client });
    await loadFilms(db, films);
    const westerns = db.repo(Film).partition({ genre: 'Western' });

    const sixties = westerns.rows({}, { year: { ge: 1960, lt: 1970 } });
    say(`Westerns of the sixties: ${sixties.explain().class}, ${sixties.explain().filter}`);
    const found = await sixties.take(100);
    for (const { value, rowKey } of found) say(`  ${value.year}  ${value.title}  (${rowKey})`);

    const expected = films.filter(({ genre, year }) => genre === 'Western' && year >= 1960 && year < 1970);
    assert.deepEqual(found.map(({ value }) => value.title).sort(), expected.map(({ title }) => title).sort());
    assert(found.length > 5);

    const [first] = found;
    assert(first);
    const one = await westerns.row({ year: first.value.year, title: first.value.title }).first();
    assert.deepEqual(one?.value, first.value);
    say(`One of them by its whole key: ${one?.value.title}, by ${one?.value.director ?? 'nobody known'}`);
  },
};
