// The chapters of the demo: a load, the queries of the table design guide, paging, and writes in competition. Each
// compares what the server answers with the file.
import assert from 'node:assert/strict';
import { RestError, type TransactionAction } from '@azure/data-tables';
import { DOUBLE, type Film } from './films.js';
import { formatNumber, ownProperties, type Stage } from './stage.js';

/** Operations of a transaction, all of one partition (protocol: batches#rules). */
const OPERATIONS_MAX = 100;

/** Films of one partition are neighbours. */
function transactionsOf(films: readonly Film[]): TransactionAction[][] {
  const all: TransactionAction[][] = [];
  let partition: string | undefined;
  for (const { [DOUBLE]: value, ...film } of films) {
    const action: TransactionAction = [
      'create',
      { ...film, ...(value !== undefined && { [DOUBLE]: { type: 'Double', value } }) },
    ];
    const last = all.at(-1);
    if (last !== undefined && partition === film.partitionKey && last.length < OPERATIONS_MAX)
      last.push(action);
    else all.push([action]);
    partition = film.partitionKey;
  }
  return all;
}

async function load(stage: Stage): Promise<void> {
  const { client, films } = stage;
  stage.say('Load: the PartitionKey is the genre, so that up to 100 films are one transaction');
  await client.createTable();
  for (const actions of transactionsOf(films)) await client.submitTransaction(actions);
  const read: object[] = [];
  for await (const entity of client.listEntities()) read.push(ownProperties(entity));
  assert.deepEqual(read, films);
  stage.tell(`${formatNumber(films.length)} films, written and read back`);
}

interface Query {
  readonly title: string;
  readonly filter: string;
  readonly select?: string[];
  /** The same in plain JavaScript, for the films of the file. */
  readonly matches: (film: Film) => boolean;
}

const OLD_MUSICALS = {
  filter: "PartitionKey eq 'musical' and ReleaseDate lt datetime'1950-01-01T00:00:00Z'",
  matches: ({ partitionKey, ReleaseDate }: Film) =>
    partitionKey === 'musical' && ReleaseDate instanceof Date && ReleaseDate < new Date('1950-01-01'),
};

/** The guide's four kinds of query, cheapest first, and a projection. */
const QUERIES: readonly Query[] = [
  {
    title: 'Point query, by both keys, the best of four: The Alamo',
    filter: "PartitionKey eq 'western' and RowKey eq '1960_the-alamo'",
    matches: ({ partitionKey, rowKey }) => partitionKey === 'western' && rowKey === '1960_the-alamo',
  },
  {
    title: 'Range query, a range of RowKeys in one partition, second best: westerns of the sixties',
    filter: "PartitionKey eq 'western' and RowKey ge '1960' and RowKey lt '1970'",
    matches: ({ partitionKey, rowKey }) => partitionKey === 'western' && rowKey >= '1960' && rowKey < '1970',
  },
  {
    // Two of these are rated 8. Sent as an Int32, they would not match a Double (protocol: queries#comparing).
    title: 'Partition scan, by a property that is no key, third best: documentaries rated 7.9 or better',
    filter: `PartitionKey eq 'documentary' and ${DOUBLE} ge 7.9`,
    matches: film => film.partitionKey === 'documentary' && Number(film[DOUBLE]) >= 7.9,
  },
  {
    title: 'Table scan, without a PartitionKey, to be avoided: films that took more than a billion dollars',
    filter: 'WorldwideGross gt 1000000000L',
    matches: ({ WorldwideGross }) => typeof WorldwideGross === 'bigint' && WorldwideGross > 1_000_000_000n,
  },
  { title: 'Musicals before 1950, in full', ...OLD_MUSICALS },
  { title: 'Musicals before 1950, by a projection', ...OLD_MUSICALS, select: ['ReleaseDate', 'Title'] },
];

/** Missing properties of a projection are null (protocol: queries#projection). */
const project = (film: Film, select: readonly string[]) =>
  Object.fromEntries(select.map(name => [name, film[name] ?? null]));

async function ask(stage: Stage, { title, filter, select, matches }: Query): Promise<number> {
  const rows: Record<string, unknown>[] = [];
  const queryOptions = { filter, ...(select && { select }) };
  for await (const entity of stage.client.listEntities({ queryOptions })) rows.push(ownProperties(entity));
  const found = stage.films.filter(matches);
  assert(found.length > 0);
  assert.deepEqual(rows, select ? found.map(film => project(film, select)) : found);
  stage.say(title);
  const bytes = stage.tell(`${rows.length} of ${formatNumber(stage.films.length)} films`);
  for (const { rowKey } of found.slice(0, 3)) stage.say(`    ${rowKey}`);
  return bytes;
}

async function queries(stage: Stage): Promise<void> {
  const bytes: number[] = [];
  for (const query of QUERIES) bytes.push(await ask(stage, query));
  const [whole = 0, projected = 0] = bytes.slice(-2);
  assert(projected < whole);
}

const PAGE_ROWS = 300;

async function paging(stage: Stage): Promise<void> {
  stage.say(`Paging: dramas, ${PAGE_ROWS} a page, each page by a new client that has only a token`);
  const queryOptions = { filter: "PartitionKey eq 'drama'" };
  const rows: Record<string, unknown>[] = [];
  let token: string | undefined;
  do {
    const settings = { maxPageSize: PAGE_ROWS, ...(token !== undefined && { continuationToken: token }) };
    const { value: page } = await stage.connect().listEntities({ queryOptions }).byPage(settings).next();
    rows.push(...page.map(ownProperties));
    token = page.continuationToken;
    stage.tell(`${page.length} films`);
  } while (token !== undefined);
  assert.deepEqual(
    rows,
    stage.films.filter(({ partitionKey }) => partitionKey === 'drama'),
  );
}

/** Its title is that of the film; the file has none. */
const KEYS = { partitionKey: 'thriller-suspense', rowKey: '2006_untitled' };

/** Azure's answer to an If-Match that does not match (protocol: entities#conditions). */
const isConflict = (error: unknown): boolean =>
  error instanceof RestError &&
  error.statusCode === 412 &&
  error.message.includes('"code":"UpdateConditionNotSatisfied"');

async function conflict(stage: Stage): Promise<void> {
  const { client } = stage;
  stage.say('ETag conflict: Ann and Ben read a film without a title; she adds it, he the director');
  const film = () => client.getEntity(KEYS.partitionKey, KEYS.rowKey);
  const merge = (etag: string, properties: object) =>
    client.updateEntity({ ...KEYS, ...properties }, 'Merge', { etag });
  const [Title, Director] = ['Unknown', 'Simon Brand'];
  const read = await film();
  await merge(read.etag, { Title });
  const between = await film();
  await assert.rejects(merge(read.etag, { Director }), isConflict);
  assert.deepEqual(await film(), between);
  await merge(between.etag, { Director });
  assert.deepEqual(ownProperties(await film()), { ...ownProperties(read), Title, Director });
  stage.tell('the second write was refused, read again, and repeated');
}

async function mergeReplace(stage: Stage): Promise<void> {
  const { client } = stage;
  stage.say('Merge against replace: what an update leaves of the properties that it does not name');
  const own = async () => ownProperties(await client.getEntity(KEYS.partitionKey, KEYS.rowKey));
  const before = await own();
  const added = { ...KEYS, Language: 'English' };
  await client.updateEntity(added, 'Merge');
  assert.deepEqual(await own(), { ...before, ...added });
  await client.updateEntity(added, 'Replace');
  assert.deepEqual(await own(), added);
  // For the chapters after it.
  await client.updateEntity({ ...KEYS, ...before }, 'Replace');
  assert.deepEqual(await own(), before);
  stage.tell('merge kept them, replace did not');
}

export const CHAPTERS = [load, queries, paging, conflict, mergeReplace];
