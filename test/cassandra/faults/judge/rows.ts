// Judges a table's history. Some order must explain each row's calls (test/simulation/judge), the rows of a group must
// have been written together wherever they are seen together, and ticks of a partition rise from commit to commit.
import { allFaults, type Event, unexplained } from '../../../histories/explain.js';
import { expectedContent } from '../../../simulation/judge/content.js';
import type {
  Answer,
  TableHappening as Happening,
  PageCall,
  WritesCall,
} from '../../../simulation/judge/history.js';
import { PARTITION_MODEL, type PartitionQuestion } from '../../../simulation/judge/partition-model.js';

type Call = Event<PartitionQuestion>;

/** The metadata level of all requests. */
const LEVEL = 'minimalmetadata';

const THERE: Call = {
  happening: { step: 0, invoked: -2, answered: -1, call: 'create', answer: 'created' },
  question: { kind: 'create', happened: true },
};

/** By partition and row. */
class Courses {
  readonly all = new Map<string, Call[]>();

  constructor(history: readonly Happening[]) {
    for (const happening of history)
      if (happening.call.kind === 'writes') this.#noteWrites(happening, happening.call);
    for (const happening of history) {
      const { call, answer } = happening;
      if (call.kind === 'get' && answer !== undefined)
        this.#look(happening, call.partition, call.key, answer);
      if (call.kind === 'page' && answer !== undefined) this.#lookAtAll(happening, call, answer);
    }
  }

  #note(happening: Happening, partition: string, key: string, question: PartitionQuestion): void {
    const name = `${partition}/${key}`;
    const course = this.all.get(name) ?? [THERE];
    course.push({ happening, question });
    this.all.set(name, course);
  }

  #noteWrites(happening: Happening, { writes, isBatch }: WritesCall): void {
    const { answer, step } = happening;
    for (const [index, write] of writes.entries()) {
      const isRefused = answer?.code !== undefined;
      // A refusal names its row, and reveals nothing about the others.
      if (isRefused && isBatch && answer.index !== index) continue;
      const own: Answer | undefined = answer && {
        ...answer,
        index: undefined,
        entities: [],
        versions: [answer.versions[index]],
      };
      this.#note(happening, write.partition, write.key, {
        kind: 'writes',
        step,
        writes: [write],
        isBatch: false,
        answer: own,
      });
    }
  }

  #look(happening: Happening, partition: string, key: string, { entities }: Answer): void {
    const seen = entities.find(entity => entity.partition === partition && entity.key === key);
    const { level } = happening;
    this.#note(happening, partition, key, { kind: 'get', key, seen, level, select: undefined });
  }

  #lookAtAll(happening: Happening, call: PageCall, answer: Answer): void {
    const { filter } = call;
    if (filter?.kind !== 'compare') return;
    const partition = filter.constant.text;
    for (const name of this.all.keys()) {
      const key = name.slice(partition.length + 1);
      if (!name.startsWith(`${partition}/`) || (answer.next !== undefined && key >= answer.next.key))
        continue;
      this.#look(happening, partition, key, answer);
    }
  }
}

function* tableFaults(history: readonly Happening[]): Generator<string> {
  for (const { answer, step } of history)
    if (answer?.code === 'TableNotFound') yield `${step}: the table was not found, and it is there.`;
}

function* groupFaults(history: readonly Happening[], group: readonly string[]): Generator<string> {
  for (const { call, answer, step } of history) {
    if (call.kind !== 'page' || answer === undefined) continue;
    const seen = answer.entities.filter(({ key }) => group.includes(key));
    const versions = new Set(seen.map(({ version }) => version));
    const isCut = answer.next !== undefined && answer.next.key <= (group.at(-1) ?? '');
    if (isCut || (versions.size <= 1 && (seen.length === 0 || seen.length === group.length))) continue;
    yield `${step}: the rows of one transaction were not seen together: ${seen.map(({ key, version }) => `${key} at ${version}`).join(', ')}.`;
  }
}

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
        yield `${each.step}: two commits of ${partition} have the tick ${each.version}.`;
      if (begun !== undefined && each.answered < begun.invoked)
        yield `${begun.step}: it began after ${each.step} was answered, and has an earlier tick in ${partition}.`;
      if (begun === undefined || each.invoked > begun.invoked) begun = each;
    }
  }
}

function seenIn(calls: readonly Call[]): (question: PartitionQuestion) => boolean {
  const seen = new Set(
    calls.flatMap(({ question }) =>
      question.kind === 'get' && question.seen ? [question.seen.content] : [],
    ),
  );
  return question =>
    question.kind !== 'writes' ||
    question.writes.some(({ properties }) => seen.has(expectedContent(properties, LEVEL, undefined)));
}

/** @throws TooManyExplanations if nothing wrong is found, and not everything could be judged. */
export function rowFaults(history: readonly Happening[], group: readonly string[]): readonly string[] {
  return allFaults([
    () => [...tableFaults(history), ...groupFaults(history, group), ...tickFaults(history)],
    ...[...new Courses(history).all].map(
      ([name, calls]) =>
        () =>
          courseFaults(name, calls),
    ),
  ]);
}

function courseFaults(name: string, calls: readonly Call[]): readonly string[] {
  const found = unexplained(name, calls, PARTITION_MODEL, { isSeen: seenIn(calls) });
  return found === undefined ? [] : [`${found.step}: ${found.message}`];
}
