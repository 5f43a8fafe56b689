// The same query in full and with $select, to show the savings of a projection.
import assert from 'node:assert/strict';
import { formatBytes } from '../stage/report.js';
import type { Stage } from '../stage/stage.js';
import { ask, type Query, show } from './ask.js';

const UNTIL = new Date('1950-01-01T00:00:00Z');

const OLD_MUSICALS: Query = {
  question: 'Which musicals are older than 1950? In full:',
  filter: "PartitionKey eq 'musical' and ReleaseDate lt datetime'1950-01-01T00:00:00Z'",
  partition: 'musical',
  matches: ({ ReleaseDate }) => ReleaseDate instanceof Date && ReleaseDate < UNTIL,
};

export async function projection(stage: Stage): Promise<void> {
  stage.report.chapter('Projection', '$select: fewer properties, fewer bytes');
  const whole = await ask(stage, stage.movies, OLD_MUSICALS);
  const select = ['ReleaseDate', 'Title', 'CenturyCorrected'];
  const question = 'The same, three properties of each:';
  const part = await ask(stage, stage.movies, { ...OLD_MUSICALS, question, select });
  assert.ok(part.bytes < whole.bytes);
  show(stage, part.rows, select);
  stage.report.fact('result', `${formatBytes(part.bytes)} instead of ${formatBytes(whole.bytes)}`);
}
