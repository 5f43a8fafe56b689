// Pages: a program that stops after every page and keeps only the continuation token reads the same rows as one that never stops.
import assert from 'node:assert/strict';
import { open } from '#patterns';
import type { Example } from './example.js';
import { Film, loadFilms, readFilms } from './films.js';

export const resumedPages: Example = {
  title: 'Pages: the comedies, a page a program',
  async run(client, say) {
    const films = await readFilms();
    await client.createTable(Film.table);
    await loadFilms(open({ tables: client }), films);

    /** Continues like a new process, with only the token. */
    const page = (resume: string | undefined) =>
      open({ tables: client }).repo(Film).partition({ genre: 'Comedy' }).page({ size: 200, resume });
    const titles: string[] = [];
    for (let resume: string | undefined, at = 1; at === 1 || resume !== undefined; at++) {
      const { items, next } = await page(resume);
      titles.push(...items.map(({ value }) => value.title));
      say(`  page ${at}: ${items.length} films, from ${items[0]?.value.title}; next: ${next?.slice(0, 24)}`);
      resume = next;
    }
    const expected = films.filter(({ genre }) => genre === 'Comedy').map(({ title }) => title);
    assert.deepEqual([...titles].sort(), [...expected].sort());
  },
};
