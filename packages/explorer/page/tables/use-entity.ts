// An entity in the editor: read again when it is opened, so that its ETag is the newest; kept as typed through every
// failure; and compared with the other version when someone changed it first.
import { useEffect, useState } from 'preact/hooks';
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

const keyOf = ({ partitionKey, rowKey }: Draft): Key => ({ partitionKey, rowKey });
/** A conflict of ETags, an insert of what exists, or a change of what does not. */
const isConflict = (error: unknown): boolean =>
  statusOf(error) === 412 || ['EntityAlreadyExists', 'ResourceNotFound'].includes(codeOf(error));

async function currentOf(table: Place, key: Key): Promise<Found | undefined> {
  try {
    return await getEntity(table, key);
  } catch (error) {
    if (codeOf(error) === 'ResourceNotFound') return undefined;
    throw error;
  }
}

const START: EntityState = { draft: undefined, failure: undefined, isBusy: false, conflict: undefined };

/** The writes of an editor, with their failures as state. */
function useWrites(
  { pages, again, editor }: TableState,
  state: EntityState,
  change: (part: Partial<EntityState>) => void,
) {
  const { table } = pages.selected;
  const { draft } = state;
  const attempt = async (what: Conflict['attempt'], work: (key: Key) => Promise<void>): Promise<void> => {
    if (draft === undefined || state.isBusy) return;
    const key = keyOf(draft);
    change({ isBusy: true, failure: undefined, conflict: undefined });
    try {
      await work(key);
      change({ isBusy: false });
    } catch (error) {
      const conflict = isConflict(error)
        ? await currentOf(table, key).then(
            current => ({ current, attempt: what }),
            () => undefined,
          )
        : undefined;
      change({ isBusy: false, conflict, failure: conflict === undefined ? sentenceOf(error) : undefined });
    }
  };
  const save = async (write: Write, etag = draft?.etag): Promise<void> => {
    if (draft === undefined || read(draft).faults.length > 0) return;
    await attempt(write, async key => {
      const { row } = read(draft);
      await writeEntity(table, write, write === 'merge' ? changesOf(draft.original, row) : row, etag);
      const found = await getEntity(table, key);
      change({ draft: draftOf(found.row, found.etag) });
      notify('Saved.');
      if (editor.target?.kind === 'stored') return pages.replace(key, found.row);
      editor.replace({ kind: 'stored', key });
      again();
    });
  };
  const remove = (etag = draft?.etag ?? '*'): Promise<void> =>
    attempt('delete', async key => {
      await (await tableOf(table)).deleteEntity(key.partitionKey, key.rowKey, { etag });
      notify('Deleted.');
      editor.replace(undefined);
      pages.remove(key);
    });
  return { save, remove };
}

export function useEntity(owner: TableState, target: Target) {
  const [state, setState] = useState<EntityState>(START);
  const change = (part: Partial<EntityState>): void => setState(before => ({ ...before, ...part }));
  const load = async (isCurrent: () => boolean): Promise<void> => {
    if (target.kind === 'new') return setState({ ...START, draft: target.draft });
    setState(START);
    try {
      const { row, etag } = await getEntity(owner.pages.selected.table, target.key);
      if (isCurrent()) change({ draft: draftOf(row, etag) });
    } catch (error) {
      if (isCurrent()) change({ failure: sentenceOf(error) });
    }
  };
  useEffect(() => {
    let isCurrent = true;
    void load(() => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [target]);
  const { draft } = state;
  const { row, faults } = draft === undefined ? { row: undefined, faults: [] } : read(draft);
  const isUntouched = target.kind === 'new' && draft === target.draft;
  const changes = draft === undefined ? [] : differences(draft.original, row);
  return {
    ...state,
    ...useWrites(owner, state, change),
    faults,
    changes,
    isChanged: draft !== undefined && !isUntouched && (faults.length > 0 || changes.length > 0),
    reload: () => void load(() => true),
    edit: (edited: Draft) => change({ draft: edited }),
    /** Continues with the stored version and, if `isRebased`, this draft's changes on top. */
    adopt: (current: Found, isRebased: boolean) =>
      change({
        conflict: undefined,
        draft:
          isRebased && draft !== undefined
            ? rebased(draft, current.row, current.etag)
            : draftOf(current.row, current.etag),
      }),
    dismiss: () => change({ conflict: undefined, failure: undefined }),
  };
}

export type Editing = ReturnType<typeof useEntity>;
