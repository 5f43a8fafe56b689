// The comparison with the peers: every subject, every workload, on tables of each size.
import { Arena, type ArenaOptions } from '../subjects/arena.js';
import type { SubjectName, WorkloadName } from '../subjects/contestant.js';
import { contest } from './contest.js';
import { memoryMetrics, type Ready, readyMetrics, type TableMetrics, workloadMetrics } from './metrics.js';

export interface ComparisonOptions extends ArenaOptions {
  readonly subjects: readonly SubjectName[];
  readonly workloads: readonly WorkloadName[];
  readonly runs: number;
  readonly milliseconds: number;
}

/** The record has only the raw samples; everything else can be derived from them. */
export interface Comparison {
  readonly metrics: TableMetrics;
  readonly samples: object;
}

/** Azurite reads everything when it starts, so once is enough to see it. */
const AZURITE_STARTS = 1;

async function readyAgain(arena: Arena, { subjects, runs }: ComparisonOptions): Promise<readonly Ready[]> {
  const ready = [readyMetrics('shelfmark', await arena.readyTimes('shelfmark', runs))];
  if (subjects.includes('azurite')) {
    ready.push(readyMetrics('azurite', await arena.readyTimes('azurite', AZURITE_STARTS)));
  }
  return ready;
}

/** Fails with `WrongAnswer` if a subject answers wrongly. */
export async function compareOn(rows: number, options: ComparisonOptions): Promise<Comparison> {
  const arena = new Arena(rows, options);
  await arena.addAll(options.subjects);
  const held = await contest(arena.contestants, options);
  await arena.stop();
  const samples = Object.fromEntries(
    [...held.samples].map(([workload, bySubject]) => [workload, Object.fromEntries(bySubject)]),
  );
  const metrics = {
    rows,
    workloads: workloadMetrics(held, rows),
    memory: memoryMetrics(held),
    ready: await readyAgain(arena, options),
  };
  return { metrics, samples };
}
