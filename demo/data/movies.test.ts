// The errors in movies.json, each as it is in the file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMovies, decodeRelease } from './movies.js';

const NO_VALUES = {
  'US Gross': null,
  'Worldwide Gross': null,
  'US DVD Sales': null,
  'Production Budget': null,
  'MPAA Rating': null,
  'Running Time min': null,
  Distributor: null,
  Source: null,
  'Major Genre': null,
  'Creative Type': null,
  Director: null,
  'Rotten Tomatoes Rating': null,
  'IMDB Rating': null,
  'IMDB Votes': null,
};

const film = (values: object): string =>
  JSON.stringify([{ Title: 'X', 'Release Date': 'Jan 01 2000', ...NO_VALUES, ...values }]);

const only = (text: string): object | undefined => decodeMovies(text).entities[0];

test('a year after the last films of the file is a century too late', () => {
  assert.deepEqual(decodeRelease('Dec 23 2011'), { date: new Date('2011-12-23'), centuryCorrected: false });
  assert.deepEqual(decodeRelease('Dec 15 2039'), { date: new Date('1939-12-15'), centuryCorrected: true });
  assert.throws(() => decodeRelease('Feb 30 2001'), /date 'Feb 30 2001'/);
  assert.throws(() => decodeRelease('2001'), /date '2001'/);
});

test('each column has one type, and a missing value is not a property', () => {
  assert.deepEqual(
    only(
      film({
        Title: 300,
        'Release Date': 'Mar 09 2007',
        'Worldwide Gross': 2_767_891_499,
        'IMDB Rating': 7,
        'Running Time min': 117,
      }),
    ),
    {
      partitionKey: 'unknown',
      rowKey: '2007_300',
      Title: '300',
      ReleaseDate: new Date('2007-03-09'),
      CenturyCorrected: false,
      WorldwideGross: 2_767_891_499n,
      ImdbRating: 7,
      RunningMinutes: 117,
    },
  );
  assert.throws(() => decodeMovies(film({ 'IMDB Votes': 1.5 })), /1.5 for an Edm.Int32/);
  assert.throws(() => decodeMovies(film({ Director: 5 })), /5 for an Edm.String/);
});

test('keys contain no forbidden character; the property keeps the text', () => {
  const entity = only(film({ Title: 'Face/Off', 'Major Genre': 'Thriller/Suspense' }));
  assert.deepEqual(entity, {
    partitionKey: 'thriller-suspense',
    rowKey: '2000_face-off',
    Title: 'Face/Off',
    MajorGenre: 'Thriller/Suspense',
    ReleaseDate: new Date('2000-01-01'),
    CenturyCorrected: false,
  });
});

test('a film without a title is kept', () => {
  assert.deepEqual(only(film({ Title: null })), {
    partitionKey: 'unknown',
    rowKey: '2000_untitled',
    ReleaseDate: new Date('2000-01-01'),
    CenturyCorrected: false,
  });
});

test('two films with the same keys are an error, not a loss', () => {
  const [row] = JSON.parse(film({}));
  assert.throws(() => decodeMovies(JSON.stringify([row, row])), /holds unknown, 2000_x twice/);
});
