// The movies' chapter: the keys, the types, the errors in the file, and the load.
import type { Entity } from '../data/dataset.js';
import { UNKNOWN_GENRE } from '../data/movies.js';
import { count, formatNumber, type Report } from '../stage/report.js';
import type { Stage } from '../stage/stage.js';
import { load } from './load.js';

const NOT_ASCII = /[^\p{ASCII}]/u;
const INT32_MAX = 2_147_483_647n;
const NUMERIC = /^\d+$/;

type Test = (entity: Entity) => boolean;

function describeKeys(report: Report, entities: readonly Entity[], amount: (is: Test) => string): void {
  const repeated = entities.length - new Set(entities.map(({ Title }) => Title)).size;
  report.fact(
    'PartitionKey',
    `The genre; '${UNKNOWN_GENRE}' for the ${amount(e => e.MajorGenre === undefined)} films without one. Keys may not hold / \\ # or ?, so Thriller/Suspense becomes thriller-suspense; the property keeps the text.`,
  );
  report.fact(
    'RowKey',
    `Year, then title, as in 1960_the-alamo. A title alone is not unique (${repeated} repeat an earlier one, mostly remakes), and with the year in front a span of years is a range of RowKeys.`,
  );
}

function describeFaults(report: Report, entities: readonly Entity[], amount: (is: Test) => string): void {
  const years = entities
    .filter(e => e.CenturyCorrected === true)
    .map(e => Number(e.rowKey.slice(0, 4)) + 100);
  report.fact(
    'Missing',
    `A null is left out: no Director in ${amount(e => e.Director === undefined)} rows, no ImdbRating in ${amount(e => e.ImdbRating === undefined)}, no Title in ${amount(e => e.Title === undefined)}.`,
  );
  report.fact(
    'Faults',
    `${years.length} films are dated ${Math.min(...years)} to ${Math.max(...years)} (Gone with the Wind: 2039). A century is taken off, and CenturyCorrected says so.`,
  );
  report.fact(
    '',
    `${amount(e => NUMERIC.test(String(e.Title)))} titles are numbers (1776, 300). They are strings here: one property, one type.`,
  );
  report.fact(
    '',
    `${amount(e => NOT_ASCII.test(String(e.Title)))} titles have letters outside ASCII, most of them garbled (LÈon). They are kept as they are.`,
  );
}

export async function loadMovies(stage: Stage): Promise<void> {
  const { report, movies } = stage;
  const { entities } = movies.dataset;
  const amount = (is: Test): string => formatNumber(entities.filter(is).length);
  const beyond = entities.find(e => typeof e.WorldwideGross === 'bigint' && e.WorldwideGross > INT32_MAX);

  report.chapter('Load the movies', `${count(entities.length, 'row')} of vega-datasets/data/movies.json`);
  describeKeys(report, entities, amount);
  report.fact(
    'Types',
    `Int64: money, since ${beyond?.Title} took more dollars than an Int32 holds. Int32: minutes, votes, percent. Double: ImdbRating. DateTime: ReleaseDate. Boolean: CenturyCorrected. String: the rest. Nothing in either file suggests a Guid or a Binary.`,
  );
  describeFaults(report, entities, amount);
  await load(stage, movies);
}
