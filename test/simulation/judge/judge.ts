// Splits a history into the histories of single objects (each partition of a table, each table, the settings) and
// checks for each whether it can be explained. A page is split too: by the contract only its part in one partition is
// of one moment.
import { type Courses, type Event, unexplained } from '../../histories/explain.js';
import { Breach } from '../../histories/history.js';
import type { Plan } from '../plan/step.js';
import { expectedContent } from './content.js';
import type { TableHappening as Happening, PageCall, Place, WritesCall } from './history.js';
import type { Model } from './linearize.js';
import { PARTITION_MODEL, type PartitionQuestion } from './partition-model.js';
import { SETTINGS_MODEL, type SettingsQuestion, TABLE_MODEL, type TableQuestion } from './table-model.js';

const PAGE_MAX = 1000;
const fold = (table: string): string => table.toLowerCase();
const isBefore = (a: Place, b: Place): boolean =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);

const tableOf = ({ call }: Happening): string | undefined => ('table' in call ? fold(call.table) : undefined);

/** What is refused for the form of a write alone, before any data is read. */
export function formRefusal({ writes, isBatch }: WritesCall): { code: string; index: number } | undefined {
  for (const [index, { match, kind }] of writes.entries()) {
    if (match === 'malformed') return { code: 'InvalidInput', index };
    if (kind === 'delete' && match === 'absent') return { code: 'MissingRequiredHeader', index };
  }
  const seen = new Set<string>();
  for (const [index, { partition, key }] of writes.entries()) {
    if (!isBatch) break;
    if (partition !== writes[0]?.partition) return { code: 'CommandsInBatchActOnDifferentPartitions', index };
    if (seen.has(key)) return { code: 'InvalidDuplicateRow', index };
    seen.add(key);
  }
  return undefined;
}

function checkWrites(happening: Happening, call: WritesCall): void {
  const { answer, step, level } = happening;
  const expected = formRefusal(call);
  if (!answer) return;
  if (expected) {
    const isIndexed = call.isBatch && call.writes.length > 1;
    const isRight = answer.code === expected.code && (!isIndexed || answer.index === expected.index);
    if (!isRight)
      throw new Breach(
        step,
        `Not ${expected.code} at ${expected.index}, but ${answer.code} at ${answer.index}.`,
      );
  }
  for (const seen of answer.entities) {
    const sent = call.writes.find(({ kind, key }) => kind === 'insert' && key === seen.key);
    if (
      !sent ||
      seen.partition !== sent.partition ||
      seen.content !== expectedContent(sent.properties, level, undefined)
    )
      throw new Breach(step, `The insert answers with another entity: ${seen.content}`);
  }
}

/** What needs no state: order, bounds, and that the page advances. */
function checkPage(
  { step, answer }: Happening,
  { from, top }: PageCall,
  plan: Pick<Plan, 'faults' | 'jumps'>,
): void {
  if (!answer || answer.code !== undefined) return;
  const { entities, next } = answer;
  const last = entities.at(-1);
  entities.forEach((entity, i) => {
    const before = entities[i - 1] ?? undefined;
    if (before && !isBefore(before, entity)) throw new Breach(step, 'The page is not in order.');
    if (from && isBefore(entity, from)) throw new Breach(step, 'The page begins before its token.');
  });
  if (entities.length > (top ?? PAGE_MAX))
    throw new Breach(step, `The page holds ${entities.length} entities.`);
  if (!next) return;
  if (top === 0) throw new Breach(step, 'A page of no entities goes on.');
  if (!isBefore(last ?? from ?? { partition: '', key: '' }, next))
    throw new Breach(step, 'The page does not move on.');
  if (!plan.faults && !plan.jumps && entities.length < (top ?? PAGE_MAX))
    throw new Breach(step, 'The page ends early without a reason.');
}

/** The page's part in a partition; undefined if it has none. */
function pagePart(
  { level, answer }: Happening,
  call: PageCall,
  partition: string,
): PartitionQuestion | undefined {
  const { from, filter, select, top } = call;
  if (!answer || (from && partition < from.partition)) return undefined;
  if (top === 0) return { kind: 'exists', exists: true };
  const { next, entities } = answer;
  if (next && partition > next.partition) return undefined;
  return {
    kind: 'page',
    partition,
    filter,
    select,
    level,
    from: from?.partition === partition ? from.key : '',
    until: next?.partition === partition ? next.key : undefined,
    seen: entities.filter(entity => entity.partition === partition),
  };
}

/**
 * What a happening implies for a partition of its table; undefined for nothing. `isDropping`: while the table is
 * dropped a page may still show some of its rows, so it proves nothing.
 */
function partitionQuestion(
  happening: Happening,
  partition: string,
  isDropping: boolean,
): PartitionQuestion | undefined {
  const { call, answer, step, level } = happening;
  switch (call.kind) {
    case 'createTable':
      return { kind: 'create', happened: answer?.code === undefined };
    case 'deleteTable':
      return { kind: 'drop', happened: answer?.code === undefined };
    case 'getTable':
      return answer && { kind: 'exists', exists: answer.code === undefined };
    case 'writes': {
      if (call.writes[0]?.partition !== partition || formRefusal(call)) return undefined;
      return { kind: 'writes', step, writes: call.writes, isBatch: call.isBatch, answer };
    }
    case 'get': {
      if (call.partition !== partition || !answer) return undefined;
      return { kind: 'get', key: call.key, seen: answer.entities[0], level, select: call.select };
    }
    case 'page': {
      if (!answer) return undefined;
      if (answer.code !== undefined) return { kind: 'exists', exists: false };
      return isDropping ? undefined : pagePart(happening, call, partition);
    }
    default:
      return undefined;
  }
}

function tableQuestion({ call, answer }: Happening): TableQuestion | undefined {
  const happened = answer?.code === undefined;
  switch (call.kind) {
    case 'createTable':
      return { kind: 'create', name: call.table, happened };
    case 'deleteTable':
      return { kind: 'drop', happened };
    case 'getTable':
      return answer && { kind: 'see', name: answer.tables[0] };
    case 'setAcl':
      return { kind: 'setIds', ids: call.ids.join(), happened };
    case 'getAcl':
      return answer && { kind: 'getIds', ids: answer.code === undefined ? answer.texts.join() : undefined };
    default:
      return undefined;
  }
}

/** What a list of tables implies for one. */
function listQuestion({ call, answer, step }: Happening, table: string): TableQuestion | undefined {
  if (call.kind !== 'queryTables' || !answer) return undefined;
  const names = answer.tables.map(fold);
  const isSorted = names.every((name, i) => i === 0 || (names[i - 1] ?? '') < name);
  if (!isSorted || names.length > (call.top ?? PAGE_MAX))
    throw new Breach(step, `The list is ${answer.tables.join()}.`);
  if (answer.nextTable !== undefined && names.length !== call.top)
    throw new Breach(step, 'The list ends early.');
  if (call.from !== undefined && table < fold(call.from)) return undefined;
  if (answer.nextTable !== undefined && table >= answer.nextTable)
    return table === answer.nextTable ? { kind: 'present' } : undefined;
  return { kind: 'see', name: answer.tables.find(name => fold(name) === table) };
}

function settingsQuestion({ call, answer }: Happening): SettingsQuestion | undefined {
  if (call.kind === 'setSettings') return { kind: 'set', origin: call.origin };
  return call.kind === 'getSettings' && answer ? { kind: 'get', origin: answer.texts.join() } : undefined;
}

/** The partitions that any call names or any answer shows. */
const partitionsIn = (history: readonly Happening[]): string[] => [
  ...new Set(
    history.flatMap(({ call, answer }) => [
      ...(call.kind === 'writes' ? call.writes.map(({ partition }) => partition) : []),
      ...(call.kind === 'get' ? [call.partition] : []),
      ...(answer?.entities.map(({ partition }) => partition) ?? []),
    ]),
  ),
];

/** Whether an answer shows what a write leaves. */
function seenIn(history: readonly Happening[]): (question: PartitionQuestion) => boolean {
  const seen = new Set(history.flatMap(({ answer }) => answer?.entities.map(({ content }) => content) ?? []));
  const [{ level } = { level: 'minimalmetadata' as const }] = history;
  return question =>
    question.kind !== 'writes' ||
    question.writes.some(({ properties }) => seen.has(expectedContent(properties, level, undefined)));
}

const overlaps = (a: Happening, b: Happening): boolean => a.invoked < b.answered && b.invoked < a.answered;

interface Judging {
  /** The history goes on where the one before ended. */
  readonly courses?: Courses | undefined;
  /** Many answers may be lost: writes whose content no answer shows are first taken for ones that did not happen. */
  readonly prefersSeen?: boolean;
}

/** The first answer of an object that no order of its calls explains, if there is one. @throws TooManyExplanations */
export function tableFaults(
  history: readonly Happening[],
  plan: Pick<Plan, 'faults' | 'jumps'>,
  judging?: Judging,
): Breach[] {
  try {
    judge(history, plan, judging);
    return [];
  } catch (error) {
    if (!(error instanceof Breach)) throw error;
    return [error];
  }
}

function judge(
  history: readonly Happening[],
  plan: Pick<Plan, 'faults' | 'jumps'>,
  { courses, prefersSeen = false }: Judging = {},
): void {
  const explain = <State, Question>(
    object: string,
    happenings: readonly Happening[],
    ask: (happening: Happening) => Question | undefined,
    model: Model<State, Question>,
    isSeen?: (question: Question) => boolean,
  ): void => {
    const events = happenings.flatMap((happening): Event<Question, Happening>[] => {
      const question = ask(happening);
      return question === undefined ? [] : [{ happening, question }];
    });
    const breach = unexplained(object, events, model, { courses, ...(isSeen && { isSeen }) });
    if (breach) throw breach;
  };
  for (const happening of history) {
    if (happening.call.kind === 'writes') checkWrites(happening, happening.call);
    if (happening.call.kind === 'page') checkPage(happening, happening.call, plan);
  }
  const listed = history.flatMap(({ answer }) => answer?.tables.map(fold) ?? []);
  for (const table of new Set([...history.flatMap(happening => tableOf(happening) ?? []), ...listed])) {
    const own = history.filter(happening => tableOf(happening) === table);
    const lists = (happening: Happening) => listQuestion(happening, table);
    explain(
      `table ${table}`,
      history,
      happening => (tableOf(happening) === table ? tableQuestion(happening) : lists(happening)),
      TABLE_MODEL,
    );
    const drops = own.filter(({ call }) => call.kind === 'deleteTable');
    const objects = objectsOf(table, partitionsIn(own), courses);
    for (const [object, partition] of objects) {
      const ask = (happening: Happening) =>
        partitionQuestion(
          happening,
          partition,
          drops.some(drop => overlaps(drop, happening)),
        );
      explain(object, own, ask, PARTITION_MODEL, prefersSeen ? seenIn(own) : undefined);
    }
  }
  explain('the settings', history, settingsQuestion, SETTINGS_MODEL);
}

/** No table has it: it stands for those that no history has named yet. */
const NO_PARTITION = '\0';

/** The partitions by their names as objects; where the history goes on, new ones are as empty as their table was. */
function objectsOf(
  table: string,
  partitions: readonly string[],
  courses: Courses | undefined,
): ReadonlyMap<string, string> {
  const prefix = `table ${table}, partition `;
  const known = [...(courses?.keys() ?? [])].filter(name => name.startsWith(prefix));
  const empty = courses?.get(prefix + JSON.stringify(NO_PARTITION));
  const objects = new Map(known.map(name => [name, JSON.parse(name.slice(prefix.length))]));
  for (const partition of [NO_PARTITION, ...partitions]) {
    const name = prefix + JSON.stringify(partition);
    if (empty && !courses?.has(name)) courses?.set(name, { states: empty.states });
    objects.set(name, partition);
  }
  return objects;
}
