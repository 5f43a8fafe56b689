// Writes a data set with entity group transactions and reads all of it back.
import assert from 'node:assert/strict';
import type { TransactionAction } from '@azure/data-tables';
import { type Dataset, type Entity, partitionSizes } from '../data/dataset.js';
import { count, formatDuration, formatNumber } from '../stage/report.js';
import type { LoadedTable, Stage } from '../stage/stage.js';
import { ownProperties } from './answer.js';

/** A changeset holds at most 100 operations on one partition (protocol: batches#rules). */
const TRANSACTION_OPERATIONS_MAX = 100;

function createAction(entity: Entity, doubles: ReadonlySet<string>): TransactionAction {
  const sent: { partitionKey: string; rowKey: string; [property: string]: unknown } = { ...entity };
  for (const property of doubles) {
    if (sent[property] !== undefined) sent[property] = { type: 'Double', value: sent[property] };
  }
  return ['create', sent];
}

/** The entities are in key order, so a partition's are neighbours. */
function transactions({ entities, doubles }: Dataset): TransactionAction[][] {
  const all: TransactionAction[][] = [];
  let partition: string | undefined;
  for (const entity of entities) {
    const last = all.at(-1);
    const action = createAction(entity, doubles);
    if (last !== undefined && partition === entity.partitionKey && last.length < TRANSACTION_OPERATIONS_MAX) {
      last.push(action);
    } else {
      all.push([action]);
      partition = entity.partitionKey;
    }
  }
  return all;
}

/** Loads the table and prints the cost. Fails unless every entity reads back as it was sent, in key order. */
export async function load({ report, log }: Stage, { client, dataset }: LoadedTable): Promise<void> {
  await client.createTable();
  log.take();
  for (const actions of transactions(dataset)) {
    const { status, subResponses } = await client.submitTransaction(actions);
    assert.equal(status, 202);
    assert.equal(subResponses.length, actions.length);
  }
  const written = log.take();
  const ms = written.reduce((total, exchange) => total + exchange.ms, 0);
  const amount = dataset.entities.length;
  const partitions = count(partitionSizes(dataset).size, 'partition');
  if (written[0] !== undefined) report.sent(written[0]);
  report.served(written, `${formatNumber(amount)} entities in ${partitions}`);
  const perTransaction = formatDuration(ms / written.length);
  const perSecond = formatNumber(Math.round((amount / ms) * 1000));
  report.fact('speed', `${perSecond} entities a second from one client, one transaction after the other;`);
  report.fact('', `${perTransaction} a transaction, on disk before it is answered`);

  const read: unknown[] = [];
  for await (const entity of client.listEntities()) read.push(ownProperties(entity));
  assert.deepEqual(read, dataset.entities);
  report.served(log.take(), `${formatNumber(read.length)} entities, all as sent`, 'read back');
}
