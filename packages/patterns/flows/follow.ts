// A step that keeps something equal to a row: it acts on the row's current state, whatever the message contains, and reads the row again afterwards. Messages may therefore come late, twice or in any
// order. The program writes the copy.
import type { AnyEntity, KeyOf } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../repo/open.js';
import type { OperationId } from '../repo/write/operation-id.js';
import type { Step, StepContext, StepResult } from './definition.js';

/** A condition that always holds, because the compiler keeps the literals of what a function returns only when the function's type is one. */
type KeyOfInput<E extends AnyEntity, I> = [E] extends [AnyEntity] ? (input: I) => KeyOf<E> : never;

/** Which row is followed, and what is kept equal to it. */
interface FollowSpec<E extends AnyEntity, I> {
  readonly name: string;
  readonly entity: E;
  /** Where the rows stand, if not in the entity's table. */
  readonly table?: string;
  readonly key: KeyOfInput<E, I>;
  /** Makes what depends on the row equal to it; `undefined` means that the row does not exist. Called again if the row has changed in between. */
  readonly make: (row: StoredOf<E> | undefined, input: I, context: StepContext) => Promise<void>;
}

/** Whether the write that the message announced is seen in the row, or needs no waiting. */
function isSeen(
  db: Db,
  row: StoredOf<AnyEntity> | undefined,
  operationId: OperationId | undefined,
  deletes: boolean,
): boolean {
  if (operationId === undefined) return true;
  if (row === undefined) return deletes;
  const { operationIds } = Db.serviceOf(db);
  return operationIds?.ofUnknown(row.unknown).includes(operationId) ?? true;
}

/** A step that keeps something equal to a row of an entity. */
export function follow<E extends AnyEntity, I>({
  name,
  entity,
  table,
  key,
  make,
}: FollowSpec<E, I>): Step<I> {
  const run = async (input: I, context: StepContext): Promise<StepResult> => {
    const { db, signal, operationId, deletes } = context;
    const rows = db.repo(entity, { table });
    let row = await rows.get(key(input), { signal });
    for (;;) {
      await make(row, input, context);
      const again = await rows.get(key(input), { signal });
      if (again?.etag === row?.etag) break;
      row = again;
    }
    return isSeen(db, row, operationId, deletes) ? undefined : 'pending';
  };
  return { name, run };
}
