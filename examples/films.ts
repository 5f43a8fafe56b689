// The films of vega-datasets as an entity, for the examples: a partition per genre, rows by year and title.
import { codec, type Db, entity, key, type Of, t } from '#patterns';
import { readDatasetFile, releaseOf } from '../demo/films.js';

export const Film = entity('Film', {
  version: 1,
  table: 'Films',
  props: {
    genre: t.string(),
    year: t.int32(),
    title: t.string(),
    director: t.string().optional(),
    gross: t.int64().optional(),
    rating: t.double().optional(),
  },
  partition: p => key(p.genre),
  row: p => key('film', p.year.as(codec.int(4)), p.title),
});

export type FilmValue = Of<typeof Film>;

type FileFilm = Readonly<Record<string, string | number | null>>;

function filmOf(row: FileFilm): FilmValue {
  const { Title, Director, 'Major Genre': genre, 'Worldwide Gross': gross, 'IMDB Rating': rating } = row;
  return {
    genre: String(genre ?? 'unknown'),
    year: releaseOf(String(row['Release Date'])).getUTCFullYear(),
    title: String(Title ?? 'untitled'),
    ...(Director != null && { director: String(Director) }),
    ...(gross != null && { gross: BigInt(gross) }),
    ...(rating != null && { rating: Number(rating) }),
  };
}

export async function readFilms(): Promise<readonly FilmValue[]> {
  const rows: readonly FileFilm[] = JSON.parse(await readDatasetFile('movies.json'));
  return rows.map(filmOf);
}

/** Writes films by partition, up to a hundred in one request. */
export async function loadFilms(db: Db, films: readonly FilmValue[]): Promise<void> {
  const genres = new Map<string, FilmValue[]>();
  for (const film of films) genres.set(film.genre, [...(genres.get(film.genre) ?? []), film]);
  for (const [genre, some] of genres)
    for (let at = 0; at < some.length; at += 100) {
      const batch = db.batch(Film, { genre });
      for (const film of some.slice(at, at + 100)) batch.create(Film, film);
      await batch.commit();
    }
}
