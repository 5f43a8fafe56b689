// Two writers, one entity: the second is refused, reads again, and no update is lost.
import assert from 'node:assert/strict';
import { RestError } from '@azure/data-tables';
import type { Stage } from '../stage/stage.js';
import { ownProperties } from './answer.js';
import { show } from './ask.js';

const KEYS = { partitionKey: 'thriller-suspense', rowKey: '2006_untitled' };

/** Merges into the film with If-Match, and prints the exchange, successful or not. */
async function correct(stage: Stage, etag: string, properties: Record<string, string>): Promise<void> {
  const { report, log, movies } = stage;
  log.take();
  try {
    await movies.client.updateEntity({ ...KEYS, ...properties }, 'Merge', { etag });
  } finally {
    const exchanges = log.take();
    for (const exchange of exchanges) report.sent(exchange);
    report.served(exchanges, exchanges.every(({ status }) => status < 300) ? 'written' : 'refused');
  }
}

/** Azure's answer to an If-Match that does not match (protocol: entities#conditions). */
const isConflict = (error: unknown): boolean =>
  error instanceof RestError &&
  error.statusCode === 412 &&
  error.message.includes('"code":"UpdateConditionNotSatisfied"');

export async function etagConflict(stage: Stage): Promise<void> {
  const { report, movies } = stage;
  const film = () => movies.client.getEntity(KEYS.partitionKey, KEYS.rowKey);
  report.chapter('ETag conflict', 'nobody overwrites what they have not seen');
  report.fact(
    'story',
    "A thriller of 2006 has no title in the file. Its date, length and distributor are those of the film 'Unknown': somebody must have taken the title for a missing value. Ann and Ben read the row at the same time; she adds the title, he the director.",
  );
  const read = await film();
  const Title = 'Unknown';
  const Director = 'Simon Brand';
  report.fact('Ann', `merges Title = ${Title}`);
  await correct(stage, read.etag, { Title });
  const between = await film();
  assert.notEqual(between.etag, read.etag);

  report.fact('Ben', `merges Director = ${Director} on the ETag that he read before Ann wrote`);
  await assert.rejects(correct(stage, read.etag, { Director }), isConflict);
  assert.deepEqual(await film(), between);
  assert.deepEqual(ownProperties(between), { ...ownProperties(read), Title });

  report.fact('Ben', "reads again, finds Ann's title, and merges with the new ETag");
  await correct(stage, between.etag, { Director });
  const after = await film();
  assert.deepEqual(ownProperties(after), { ...ownProperties(read), Title, Director });
  show(stage, [after], ['rowKey', 'Title', 'Director', 'Distributor', 'ReleaseDate']);
  report.fact('', 'Keys cannot be changed, so the RowKey stays what it was.');
}
