// The comparison with the peers: every subject, every workload, on tables of each size.
import { Arena, type ArenaOptions } from './arena.js';
import { contest } from './contest.js';
import type { SubjectName, WorkloadName } from './contestant.js';
import { memoryFigures, type Ready, readyFigures, type TableFigures, workloadFigures } from './figures.js';

export interface ComparisonOptions extends ArenaOptions {
  readonly subjects: readonly SubjectName[];
  readonly workloads: readonly WorkloadName[];
  readonly runs: number;
  readonly milliseconds: number;
}

/** Only the samples go into the record as they are; everything else can be made of them again. */
export interface Comparison {
  readonly figures: TableFigures;
  readonly samples: object;
}

/** Azurite reads everything when it starts, so once is enough to see it. */
const AZURITE_STARTS = 1;

async function readyAgain(arena: Arena, { subjects, runs }: ComparisonOptions): Promise<readonly Ready[]> {
  const ready = [readyFigures('shelfmark', await arena.readyTimes('shelfmark', runs))];
  if (subjects.includes('azurite')) {
    ready.push(readyFigures('azurite', await arena.readyTimes('azurite', AZURITE_STARTS)));
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
  const figures = {
    rows,
    workloads: workloadFigures(held, rows),
    memory: memoryFigures(held),
    ready: await readyAgain(arena, options),
  };
  return { figures, samples };
}
