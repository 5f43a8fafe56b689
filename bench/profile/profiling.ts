// CPU profiles of Shelfmark: a server of its own for each workload, profiled from its start to its end and otherwise
// idle, on preloaded rows.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILES } from '../places.js';
import { Arena, type ArenaOptions } from '../subjects/arena.js';
import { sampleOf, type WorkloadName } from '../subjects/contestant.js';
import { formatCount, textTable } from '../text-table.js';
import { selfTimes } from './profile.js';

export interface ProfilingOptions extends ArenaOptions {
  readonly rows: number;
  readonly workloads: readonly WorkloadName[];
  readonly milliseconds: number;
}

const FUNCTIONS_SHOWN = 30;
/** Writes stay, so workloads that need the rows as loaded come first. */
const ORDER: readonly WorkloadName[] = ['point-get', 'range', 'filter', 'merge', 'insert', 'transaction'];

function profileReport(file: string): string {
  const times = selfTimes(readFileSync(file, 'utf8'));
  const total = times.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const lines = times
    .slice(0, FUNCTIONS_SHOWN)
    .map(({ name, milliseconds }) => [
      `${((100 * milliseconds) / total).toFixed(1)} %`.padStart(7),
      `${milliseconds.toFixed(0)} ms`.padStart(8),
      name,
    ]);
  return textTable([['   self', '    time', 'function'], ...lines], 3);
}

/** Prints, for each workload, the functions with the most time of their own, and the path of the profile. */
export async function profileWorkloads(
  options: ProfilingOptions,
  print: (text: string) => void,
): Promise<void> {
  const { rows, workloads, milliseconds } = options;
  mkdirSync(PROFILES, { recursive: true });
  const arena = new Arena(rows, options);
  await arena.addShelfmark();
  await arena.stop();
  for (const workload of ORDER.filter(name => workloads.includes(name))) {
    const name = `${workload}-${rows}-${new Date().toISOString().replace(/[:.]/g, '')}.cpuprofile`;
    const server = await arena.startShelfmark('shelfmark', { directory: PROFILES, name });
    const { perSecond } = sampleOf(await server.measure(workload, milliseconds), workload, rows);
    await server.stop();
    const file = join(PROFILES, name);
    print(
      `${workload}: ${formatCount(perSecond)} per second while profiled; ${file}\n${profileReport(file)}`,
    );
  }
}
