// Parses --workers, and returns the number of processes for it on this machine.
import { availableParallelism } from 'node:os';
import { ConfigurationError } from '#server';
import type { EngineTools } from '#store';
import { wholeIn } from './values.js';

/** The maximum for any engine; each engine declares how many may share its data. */
export const WORKERS_MAX = 64;

export type Workers = number | 'auto';

const parseCount = wholeIn(1, WORKERS_MAX, `A number of processes from 1 to ${WORKERS_MAX}, or auto.`);

export const parseWorkers = (text: string): Workers => (text === 'auto' ? text : parseCount(text));

/**
 * The number of processes to serve with, within what the engine allows; `auto` takes one for each core, up to that.
 * `option` is what chose the engine.
 *
 * @throws ConfigurationError if the number asked for is more than the engine allows.
 */
export function workersOf(
  workers: Workers,
  { workersMax: most = 1, hasPeers = false }: Pick<EngineTools, 'workersMax' | 'hasPeers'>,
  option: string,
): number {
  if (workers === 'auto') return Math.min(availableParallelism(), most);
  if (workers <= most) return workers;
  if (hasPeers && most === 1)
    throw new ConfigurationError(
      `${option} has one process for each server: in place of ${workers} workers start as many servers, each on a port of its own.`,
    );
  const held =
    most === 1 ? 'keeps the data in one process, which' : `lets ${most} processes share the data, which`;
  throw new ConfigurationError(
    `${option} ${held} ${workers} workers cannot share: leave out one of the two.`,
  );
}
