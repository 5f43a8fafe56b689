// The number of processes as an option of the command gives it, and what it comes to on this machine.
import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { ConfigurationError } from '#server';

/** Reader slots of the data's file are reckoned for so many (store-lmdb/environment.ts). */
export const WORKERS_MAX = 64;

export type Workers = number | 'auto';

export function parseWorkers(text: string): Workers {
  if (text === 'auto') return text;
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > WORKERS_MAX)
    throw new InvalidArgumentError(`A number of processes from 1 to ${WORKERS_MAX}, or auto.`);
  return workers;
}

/**
 * Processes to serve with; `auto` takes one for each core, and one alone where the data cannot be shared.
 *
 * @throws ConfigurationError if several are asked for by number and the data cannot be shared.
 */
export function workersOf(workers: Workers, isInMemory: boolean): number {
  if (workers === 'auto') return isInMemory ? 1 : Math.min(availableParallelism(), WORKERS_MAX);
  if (isInMemory && workers > 1)
    throw new ConfigurationError(
      `--inMemoryPersistence keeps the data in one process, which ${workers} workers cannot share: leave out one of the two.`,
    );
  return workers;
}
