// Reads V8's CPU profiles: where the time went, function by function.

export interface SelfTime {
  /** Function, file and line; code of V8 and of the system has no file. */
  readonly name: string;
  /** Milliseconds in the function itself. */
  readonly milliseconds: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

const IDLE = '(idle)';

function decodeProfile(text: string): CpuProfile {
  const profile = JSON.parse(text) as Partial<CpuProfile>;
  const { nodes, samples, timeDeltas } = profile;
  if (!Array.isArray(nodes) || !Array.isArray(samples) || !Array.isArray(timeDeltas)) {
    throw new Error('Not a CPU profile.');
  }
  return { nodes, samples, timeDeltas };
}

const nameOf = ({ functionName, url, lineNumber }: ProfileNode['callFrame']): string => {
  const file = url.replace(/^.*\/(dist|node_modules)\//, '$1/').replace(/^dist\//, '');
  const place = url === '' ? '' : ` ${file}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${place}`;
};

/** The functions that ran, by their own time, the most first; idle time is left out. */
export function selfTimes(text: string): readonly SelfTime[] {
  const { nodes, samples, timeDeltas } = decodeProfile(text);
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    // The time between two samples is that of the earlier one.
    const name = names.get(id) ?? '(unknown)';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  }
  times.delete(IDLE);
  return [...times]
    .map(([name, milliseconds]) => ({ name, milliseconds }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}
