// Faults that are planted in front ends, to show that a run's judges find them: each breaks the engine's session with the cluster.
import { Partition } from '../../../../packages/store-cassandra/commit/partition.js';
import { type Answer, Session } from '../../../../packages/store-cassandra/session/session.js';

const takesForApplied = (kind: Answer['kind']) => (): void => {
  const { writeIf } = Session.prototype;
  Session.prototype.writeIf = async function (statements) {
    const answer = await writeIf.call(this, statements);
    return answer.kind === kind ? { kind: 'applied' } : answer;
  };
};

export const PLANTS = {
  'takes an unclear commit for one that happened': takesForApplied('unclear'),
  'takes a refused commit for one that happened': takesForApplied('refused'),
  'looks for the outcome without a barrier': () => {
    const { readOutcome } = Partition.prototype;
    Partition.prototype.readOutcome = async function (id) {
      const { isApplied } = await readOutcome.call(this, id);
      return { fence: -1n, isApplied };
    };
  },
} as const satisfies Readonly<Record<string, () => void>>;

export type PlantName = keyof typeof PLANTS;

export const isPlant = (name: string): name is PlantName => name in PLANTS;
