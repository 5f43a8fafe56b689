// The four kinds of query in the table design guide, cheapest first.
import assert from 'node:assert/strict';
import type { Stage } from '../stage/stage.js';
import { ownProperties } from './answer.js';
import { ask, show } from './ask.js';

export async function pointQuery(stage: Stage): Promise<void> {
  const { report, log, airports } = stage;
  report.chapter('Point query', 'both keys: one entity is looked up. The best of the four');
  log.take();
  const entity = ownProperties(await airports.client.getEntity('WA', 'SEA'));
  const exchanges = log.take();
  const expected = airports.dataset.entities.find(e => e.partitionKey === 'WA' && e.rowKey === 'SEA');
  assert.deepEqual(entity, expected);
  report.fact('question', 'Where is the airport SEA in Washington?');
  report.fact('call', "airports.getEntity('WA', 'SEA')");
  for (const exchange of exchanges) report.sent(exchange);
  report.served(exchanges, '1 row');
  show(stage, [entity], ['rowKey', 'name', 'city', 'latitude', 'longitude']);
}

export async function rangeQuery(stage: Stage): Promise<void> {
  stage.report.chapter('Range query', 'one partition, a range of its RowKeys. Second best');
  const { rows } = await ask(stage, stage.movies, {
    question: 'Which westerns are of the sixties?',
    filter: "PartitionKey eq 'western' and RowKey ge '1960' and RowKey lt '1970'",
    partition: 'western',
    matches: e => e.rowKey >= '1960' && e.rowKey < '1970',
  });
  show(stage, rows, ['rowKey', 'WorldwideGross', 'Director']);
}

export async function partitionScan(stage: Stage): Promise<void> {
  stage.report.chapter('Partition scan', 'one partition, a property that is no key. Third best');
  // Two of these are rated 8. Sent as an Int32, they would not match a literal of type Double (protocol: queries#comparing).
  const { rows } = await ask(stage, stage.movies, {
    question: 'Which documentaries are rated 7.9 or better?',
    filter: "PartitionKey eq 'documentary' and ImdbRating ge 7.9",
    partition: 'documentary',
    matches: e => Number(e.ImdbRating) >= 7.9,
  });
  show(stage, rows, ['rowKey', 'ImdbRating', 'ImdbVotes', 'Director']);
}

export async function tableScan(stage: Stage): Promise<void> {
  stage.report.chapter('Table scan', 'no PartitionKey: every partition in turn. To be avoided');
  const { rows } = await ask(stage, stage.movies, {
    question: 'Which films took more than a billion dollars?',
    filter: 'WorldwideGross gt 1000000000L',
    matches: e => typeof e.WorldwideGross === 'bigint' && e.WorldwideGross > 1_000_000_000n,
  });
  show(stage, rows, ['partitionKey', 'Title', 'WorldwideGross']);
}
