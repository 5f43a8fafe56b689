// Typed queries: each is classified by its cost before it is sent, and the expensive ones need a reason.
import assert from 'node:assert/strict';
import { open } from '#patterns';
import { fanOut } from '#patterns/fan-out';
import type { Example } from './example.js';
import { Film, loadFilms, readFilms } from './films.js';

export const typedQueries: Example = {
  title: 'Typed queries: what a question costs, and its answer',
  async run(client, say) {
    const films = await readFilms();
    await client.createTable(Film.table);
    const db = open(
      { tables: client },
      {
        queries: { warn: plan => say(`  (${plan.class} is sent: ${plan.warnings[0]})`) },
      },
    );
    await loadFilms(db, films);
    const repo = db.repo(Film);

    const good = repo
      .partition({ genre: 'Documentary' })
      .where(film => film.rating.ge(7.9).and(film.year.ge(2000)))
      .select('rating');
    say(`Documentaries since 2000, rated 7.9 or better: ${good.explain().class}`);
    const best = await good.take(100);
    for (const { value } of best) say(`  ${value.rating?.toFixed(1)}  ${value.title}`);
    const wanted = films.filter(
      ({ genre, year, rating }) => genre === 'Documentary' && year >= 2000 && Number(rating ?? 0) >= 7.9,
    );
    assert.deepEqual(best.map(({ value }) => value.title).sort(), wanted.map(({ title }) => title).sort());

    const rich = repo.scan().where(film => film.gross.gt(1_000_000_000n));
    say(`Films that took more than a billion: ${rich.explain().class}`);
    const billions = await rich.allowScan('there is no index by what films took').take(100);
    for (const { value } of billions) say(`  ${value.gross}  ${value.title}`);
    const most = films.filter(({ gross }) => (gross ?? 0n) > 1_000_000_000n);
    assert.deepEqual(billions.map(({ value }) => value.title).sort(), most.map(({ title }) => title).sort());

    const genres = [...new Set(films.map(({ genre }) => genre))];
    const byGenre = genres.map(genre => repo.partition({ genre }).rows({ year: 1980 }));
    const year = fanOut(byGenre, { order: 'rows' });
    const of1980 = await year.take(100);
    say(`Films of 1980 by title, of ${genres.length} genres at once: ${of1980.length}`);
    assert.equal(of1980.length, films.filter(film => film.year === 1980).length);
    const rowKeys = of1980.map(({ rowKey }) => rowKey);
    assert.deepEqual(rowKeys, [...rowKeys].sort());
  },
};
