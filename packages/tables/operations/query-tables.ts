// Query Tables: the tables of an account in the order of their lower-case names (protocol: tables#list).
import { nextTurn } from '#base';
import { type Effort, inPlace, type Row, type Space } from '#store';
import { encodeEntity } from '../entity/entity-encoder.js';
import { compileFilter, type RowTest } from '../filter/compile-filter.js';
import type { Filter, Operand } from '../filter/filter.js';
import type { QueryTables } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { decodeTableMetadata, type TableContext } from '../table-space.js';

/** Names are compared without case: constants are lower-cased, and so are names. */
const foldOperand = (operand: Operand): Operand =>
  operand.kind === 'constant' && operand.constant.type === 'Edm.String'
    ? { kind: 'constant', constant: { type: 'Edm.String', value: operand.constant.value.toLowerCase() } }
    : operand;

function fold(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map(fold) };
    case 'not':
      return { kind: 'not', operand: fold(filter.operand) };
    case 'compare':
      return { ...filter, other: foldOperand(filter.other) };
    default:
      return filter;
  }
}

/** A table as a row of one property, on which a filter is evaluated. */
function rowOf(space: Space): Row {
  const value = encodeEntity([{ name: 'TableName', type: 'Edm.String', value: space.name }]);
  return { partition: '', key: '', version: space.created, value };
}

const SPACES_A_READ = 1000;
/** Steps of a filter before it yields the thread: about a millisecond. */
const STEPS_A_TURN = 50_000;

interface CostlyTest {
  readonly test: RowTest;
  readonly effort: Effort;
}

async function collect(
  context: TableContext,
  { test, effort }: CostlyTest,
  from: string,
  limit: number,
): Promise<Space[]> {
  const found: Space[] = [];
  let stepsMax = STEPS_A_TURN;
  for (let next: string | undefined = from; next !== undefined; ) {
    const spaces: readonly Space[] = await context.store.listSpaces(
      context.account,
      'table',
      next,
      SPACES_A_READ,
    );
    for (const space of spaces) {
      if (test(inPlace(rowOf(space)))) found.push(space);
      if (effort.steps < stepsMax) continue;
      await nextTurn();
      stepsMax = effort.steps + STEPS_A_TURN;
    }
    const last: Space | undefined =
      spaces.length < SPACES_A_READ || found.length >= limit ? undefined : spaces.at(-1);
    next = last && `${last.name}\0`;
  }
  return found.slice(0, limit);
}

export async function queryTables(context: TableContext, operation: QueryTables): Promise<Outcome> {
  const effort = { steps: 0 };
  const test = operation.filter ? compileFilter(fold(operation.filter), effort) : () => true;
  if (operation.top === 0) return { kind: 'tables', names: [], next: undefined };
  const spaces = await collect(
    context,
    { test, effort },
    operation.from?.toLowerCase() ?? '',
    operation.top + 1,
  );
  const page = spaces.slice(0, operation.top);
  return {
    kind: 'tables',
    names: page.map(space => decodeTableMetadata(space.metadata).name),
    next: spaces[operation.top]?.name,
  };
}
