// An entity in the editor: read again when it is opened, so that its ETag is the newest; kept as typed through every
// failure; and compared with the other version when someone changed it first.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Key } from '#data-tools/line';
import { changesOf, type Draft, differences, draftOf, read, rebased } from '../../model/draft.js';
import { type Place, tableOf } from '../client/account.js';
import { codeOf, sentenceOf, statusOf } from '../client/ask.js';
import { type Found, getEntity, type Write, writeEntity } from '../client/table-client.js';
import { notify } from '../state/notice.js';
import type { TableState } from './use-table.js';

/** What the editor shows: a new entity, perhaps with the values of another, or a stored one. */
export type Target =
  | { readonly kind: 'new'; readonly draft: Draft }
  | { readonly kind: 'stored'; readonly key: Key };

/** The stored version that is in the way: undefined if the entity is gone. */
export interface Conflict {
  readonly current: Found | undefined;
  /** What was attempted. */
  readonly attempt: Write | 'delete';
}

interface EntityState {
  readonly draft: Draft | undefined;
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  readonly conflict: Conflict | undefined;
}

/** A conflict of ETags, an insert of what exists, or a change of what does not. */
const isConflict = (error: unknown): boolean =>
  statusOf(error) === 412 || ['EntityAlreadyExists', 'ResourceNotFound'].includes(codeOf(error));

/** The version that is in the way of a change; undefined if it failed for another reason. */
async function conflictOf(
  error: unknown,
  attempt: Conflict['attempt'],
  table: Place,
  key: Key,
): Promise<Conflict | undefined> {
  if (!isConflict(error)) return undefined;
  try {
    return { attempt, current: await getEntity(table, key) };
  } catch (later) {
    return codeOf(later) === 'ResourceNotFound' ? { attempt, current: undefined } : undefined;
  }
}

const START: EntityState = { draft: undefined, failure: undefined, isBusy: false, conflict: undefined };

/** The writes of an editor, with their failures as state. */
function useWrites(
  { selected, replace, remove: removeRow, again, editor }: TableState,
  { draft, isBusy }: EntityState,
  change: (part: Partial<EntityState>) => void,
) {
  const { table } = selected;
  const attempt = async (
    what: Conflict['attempt'],
    work: (draft: Draft, key: Key) => Promise<void>,
  ): Promise<void> => {
    if (draft === undefined || isBusy) return;
    const { partitionKey, rowKey } = draft;
    const key = { partitionKey, rowKey };
    change({ isBusy: true, failure: undefined, conflict: undefined });
    try {
      await work(draft, key);
      change({ isBusy: false });
    } catch (error) {
      const conflict = await conflictOf(error, what, table, key);
      change({ isBusy: false, conflict, failure: conflict === undefined ? sentenceOf(error) : undefined });
    }
  };
  const save = async (write: Write, etag = draft?.etag): Promise<void> => {
    if (draft === undefined || read(draft).faults.length > 0) return;
    await attempt(write, async (typed, key) => {
      const { row } = read(typed);
      await writeEntity(table, write, write === 'merge' ? changesOf(typed.original, row) : row, etag);
      const found = await getEntity(table, key);
      change({ draft: draftOf(found.row, found.etag) });
      notify('Saved.');
      if (editor.target?.kind === 'stored') return replace(key, found.row);
      editor.replace({ kind: 'stored', key });
      again();
    });
  };
  const remove = (etag = draft?.etag ?? '*'): Promise<void> =>
    attempt('delete', async (_, key) => {
      await (await tableOf(table)).deleteEntity(key.partitionKey, key.rowKey, { etag });
      notify('Deleted.');
      editor.replace(undefined);
      removeRow(key);
    });
  return { save, remove };
}

export function useEntity(owner: TableState, target: Target) {
  const [state, setState] = useState<EntityState>(START);
  const [reads, setReads] = useState(0);
  const change = (part: Partial<EntityState>): void => setState(before => ({ ...before, ...part }));
  // Before the paint, so that the next key meets the fields.
  useLayoutEffect(() => {
    if (target.kind === 'new') return setState({ ...START, draft: target.draft });
    let isCurrent = true;
    setState(START);
    getEntity(owner.selected.table, target.key).then(
      ({ row, etag }) => isCurrent && change({ draft: draftOf(row, etag) }),
      error => isCurrent && change({ failure: sentenceOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [target, reads]);
  const { draft } = state;
  const { row, faults } = draft === undefined ? { row: undefined, faults: [] } : read(draft);
  const isUntouched = draft === undefined || (target.kind === 'new' && draft === target.draft);
  const changes = draft === undefined ? [] : differences(draft.original, row);
  return {
    ...state,
    ...useWrites(owner, state, change),
    faults,
    changes,
    isChanged: !isUntouched && (faults.length > 0 || changes.length > 0),
    reload: () => setReads(reads + 1),
    edit: (edited: Draft) => change({ draft: edited }),
    /** Continues with the stored version. */
    adopt: (current: Found) => change({ conflict: undefined, draft: draftOf(current.row, current.etag) }),
    /** Continues with this draft's changes on top of the stored version. */
    rebase: (current: Found) =>
      change({ conflict: undefined, draft: draft && rebased(draft, current.row, current.etag) }),
    dismiss: () => change({ conflict: undefined, failure: undefined }),
  };
}

export type Editing = ReturnType<typeof useEntity>;
