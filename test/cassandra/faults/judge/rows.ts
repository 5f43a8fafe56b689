// Judges a table's history: as test/simulation/judge does, and ticks of a partition rise from commit to commit.
import { faultTexts } from '../../../histories/history.js';
import { NOTHING } from '../../../simulation/judge/answer.js';
import type { TableHappening as Happening } from '../../../simulation/judge/history.js';
import { tableFaults } from '../../../simulation/judge/judge.js';

interface Written {
  readonly step: number;
  readonly invoked: number;
  readonly answered: number;
  readonly version: bigint;
}

/** A write that began after another's answer has a later tick; no two writes share one. */
function* tickFaults(history: readonly Happening[]): Generator<string> {
  const partitions = new Map<string, Written[]>();
  for (const { call, answer, step, invoked, answered } of history) {
    if (call.kind !== 'writes' || answer?.code !== undefined) continue;
    const version = answer?.versions.find(told => told !== undefined);
    const partition = call.writes[0]?.partition ?? '';
    if (version === undefined) continue;
    partitions.set(partition, [...(partitions.get(partition) ?? []), { step, invoked, answered, version }]);
  }
  for (const [partition, written] of partitions) {
    const byVersion = written.toSorted((a, b) => (a.version < b.version ? -1 : 1));
    let begun: Written | undefined;
    for (const [index, each] of byVersion.entries()) {
      if (byVersion[index - 1]?.version === each.version)
        yield `table ${each.step}: two commits of ${partition} have the tick ${each.version}.`;
      if (begun !== undefined && each.answered < begun.invoked)
        yield `table ${begun.step}: it began after ${each.step} was answered, and has an earlier tick in ${partition}.`;
      if (begun === undefined || each.invoked > begun.invoked) begun = each;
    }
  }
}

/** Before all of its calls. */
const creationOf = (table: string): Happening => ({
  step: 0,
  client: -1,
  level: 'minimalmetadata',
  invoked: -2,
  answered: -1,
  call: { kind: 'createTable', table },
  answer: { ...NOTHING, status: 201 },
});

/** Of a table that was there before. @throws TooManyExplanations if not everything could be judged. */
export function rowFaults(history: readonly Happening[], table: string): readonly string[] {
  const ticks = [...tickFaults(history)];
  if (ticks.length > 0) return ticks;
  const whole = [creationOf(table), ...history];
  return faultTexts('table', tableFaults(whole, { faults: true, jumps: false }, { prefersSeen: true }));
}
