// Runs workloads in rotation: A, B, C, A, B, C ... so that a machine that is slow for a while is slow for all. Subjects
// that are not being measured are paused, and get the time to finish pending work before they are measured again.
import { besideData, type Memory } from '../machine/process-status.js';
import type { Contestant, Sample, WorkloadName } from '../subjects/contestant.js';
import { holdStill, inTurn } from '../subjects/turn.js';

/** By workload, then by contestant, in the order of the runs. */
export type Samples = ReadonlyMap<WorkloadName, ReadonlyMap<string, readonly Sample[]>>;

export interface MemorySeen {
  readonly loaded: Memory;
  /** The reading after a run with the most memory other than the mapped data. */
  readonly peak: Memory;
}

export interface ContestOptions {
  readonly workloads: readonly WorkloadName[];
  readonly runs: number;
  readonly milliseconds: number;
  readonly say: (line: string) => void;
}

export interface Contest {
  readonly samples: Samples;
  /** By contestant, for those whose memory the system reports. */
  readonly memory: ReadonlyMap<string, MemorySeen>;
}

/** The first run of a workload is discarded: it warms up compilers and caches. */
const WARM_UP_MILLISECONDS = 1000;

const memoryOf = ({ processes }: Contestant): Memory | undefined => processes[0]?.memory();

class MemoryLog {
  readonly #seen = new Map<string, MemorySeen>();

  note(contestant: Contestant): void {
    const memory = memoryOf(contestant);
    if (memory === undefined) return;
    const { name } = contestant;
    const { loaded, peak } = this.#seen.get(name) ?? { loaded: memory, peak: memory };
    this.#seen.set(name, { loaded, peak: besideData(memory) > besideData(peak) ? memory : peak });
  }

  get seen(): ReadonlyMap<string, MemorySeen> {
    return this.#seen;
  }
}

const turn = (
  contestant: Contestant,
  workload: WorkloadName,
  milliseconds: number,
  memory: MemoryLog,
): Promise<Sample> =>
  inTurn(contestant, async () => {
    const sample = await contestant.run(workload, milliseconds);
    memory.note(contestant);
    return sample;
  });

async function round(
  contestants: readonly Contestant[],
  workload: WorkloadName,
  { runs, milliseconds, say }: ContestOptions,
  memory: MemoryLog,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map(contestants.map(({ name }): [string, Sample[]] => [name, []]));
  const isLong = milliseconds > WARM_UP_MILLISECONDS;
  for (let run = isLong ? 0 : 1; run <= runs; run++) {
    for (const contestant of contestants) {
      const sample = await turn(
        contestant,
        workload,
        run === 0 ? WARM_UP_MILLISECONDS : milliseconds,
        memory,
      );
      if (run === 0) continue;
      samples.get(contestant.name)?.push(sample);
      say(`${workload}, run ${run}, ${contestant.name}: ${Math.round(sample.perSecond)} per second`);
    }
  }
  return samples;
}

/** The contestants are already loaded, and paused afterwards. Fails with `WrongAnswer` if one answers wrongly. */
export async function contest(contestants: readonly Contestant[], options: ContestOptions): Promise<Contest> {
  const memory = new MemoryLog();
  for (const contestant of contestants) {
    memory.note(contestant);
    holdStill(contestant);
  }
  const samples = new Map<WorkloadName, ReadonlyMap<string, readonly Sample[]>>();
  for (const workload of options.workloads) {
    const able = contestants.filter(contestant => contestant.can(workload));
    if (able.length > 0) samples.set(workload, await round(able, workload, options, memory));
  }
  return { samples, memory: memory.seen };
}
