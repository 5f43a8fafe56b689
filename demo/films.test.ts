// The errors of movies.json, each as it is in the file, and keys of any title.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filmOf, keyText, releaseOf } from './films.js';

test('a year after the last films of the file is a century too late', () => {
  assert.deepEqual(releaseOf('Dec 23 2011'), new Date('2011-12-23'));
  assert.deepEqual(releaseOf('Dec 15 2039'), new Date('1939-12-15'));
});

test('each column has one type, and a missing value is not a property', () => {
  const film = {
    Title: 300,
    'Release Date': 'Mar 09 2007',
    'Worldwide Gross': 2_767_891_499,
    'IMDB Rating': 7,
    'Major Genre': 'Thriller/Suspense',
    Director: null,
  };
  assert.deepEqual(filmOf(film), {
    partitionKey: 'thriller-suspense',
    rowKey: '2007_300',
    Title: '300',
    ReleaseDate: new Date('2007-03-09'),
    WorldwideGross: 2_767_891_499n,
    IMDBRating: 7,
    MajorGenre: 'Thriller/Suspense',
  });
  const { partitionKey, rowKey } = filmOf({ Title: null, 'Release Date': 'Jan 01 2000' });
  assert.deepEqual([partitionKey, rowKey], ['unknown', '2000_untitled']);
});

test('a key is readable, and has no character that keys forbid', () => {
  assert.equal(keyText("What the #$'! Do We Know"), 'what-the-do-we-know');
  assert.equal(keyText('Le Fabuleux destin d’Amélie Poulain'), 'le-fabuleux-destin-d-amelie-poulain');
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => assert.match(keyText(text), /^[a-z0-9-]*$/)));
});
