// Runs a query, prints its cost, and compares the answer with the file.
import assert from 'node:assert/strict';
import type { Entity } from '../data/dataset.js';
import { count, formatNumber } from '../stage/report.js';
import type { LoadedTable, Stage } from '../stage/stage.js';
import { cell, ownProperties } from './answer.js';

export interface Query {
  /** The question, in words. */
  readonly question: string;
  readonly filter: string;
  readonly select?: string[];
  /** The partition that the filter fixes, if it fixes one. */
  readonly partition?: string;
  /** The residual predicate in plain JavaScript, for the file's rows. */
  readonly matches: (entity: Entity) => boolean;
}

/** The entity under a projection: a selected property that is missing is null (protocol: queries#projection). */
const project = (entity: Entity, select: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(select.map(property => [property, entity[property] ?? null]));

export interface Answer {
  readonly rows: readonly Record<string, unknown>[];
  /** Of the bodies that carried them. */
  readonly bytes: number;
}

/** All matching entities, as the server answered. Fails unless they equal those of the file, in order and in full. */
export async function ask(
  { report, log }: Stage,
  { client, dataset }: LoadedTable,
  { question, filter, select, partition, matches }: Query,
): Promise<Answer> {
  log.take();
  const rows: Record<string, unknown>[] = [];
  const queryOptions = select === undefined ? { filter } : { filter, select };
  for await (const entity of client.listEntities({ queryOptions })) rows.push(ownProperties(entity));
  const exchanges = log.take();

  const searched =
    partition === undefined
      ? dataset.entities
      : dataset.entities.filter(({ partitionKey }) => partitionKey === partition);
  const expected = searched.filter(matches);
  assert.deepEqual(rows, select === undefined ? expected : expected.map(entity => project(entity, select)));
  report.fact('question', question);
  report.fact('filter', filter);
  if (select !== undefined) report.fact('select', select.join(', '));
  if (exchanges[0] !== undefined) report.sent(exchanges[0]);
  const among = `${count(searched.length, 'row')} in the ${partition === undefined ? 'table' : 'partition'}`;
  report.served(exchanges, `${formatNumber(rows.length)} of the ${among}`);
  return { rows, bytes: exchanges.reduce((total, { bytes }) => total + bytes, 0) };
}

/** Prints some columns of an answer under their names. */
export function show({ report }: Stage, rows: readonly object[], columns: readonly string[]): void {
  const cells = rows.map(row => {
    const values = new Map<string, unknown>(Object.entries(row));
    return columns.map(column => cell(values.get(column)));
  });
  report.rows([columns, ...cells]);
}
