// An entity in the editor: read again when it is opened, so that its ETag is the newest; kept as typed through every
// failure; and compared with the other version when someone changed it first.
import { useEffect, useState } from 'preact/hooks';
import type { Key, Row } from '#data-tools/line';
import { changesOf, type Draft, differences, draftOf, type Fault, read, rebased } from '../../model/draft.js';
import { codeOf, sentenceOf, statusOf } from '../client/ask.js';
import { deleteEntity, type Found, getEntity, type Write, writeEntity } from '../client/table-client.js';

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

interface Place {
  readonly account: string;
  readonly table: string;
  readonly onSaved: (key: Key, row: Row) => void;
  readonly onDeleted: (key: Key) => void;
}

const keyOf = ({ partitionKey, rowKey }: Draft): Key => ({ partitionKey, rowKey });
/** A conflict of ETags, an insert of what exists, or a change of what does not. */
const isConflict = (error: unknown): boolean =>
  statusOf(error) === 412 || ['EntityAlreadyExists', 'ResourceNotFound'].includes(codeOf(error));

async function currentOf({ account, table }: Place, key: Key): Promise<Found | undefined> {
  try {
    return await getEntity(account, table, key);
  } catch (error) {
    if (codeOf(error) === 'ResourceNotFound') return undefined;
    throw error;
  }
}

const START: EntityState = { draft: undefined, failure: undefined, isBusy: false, conflict: undefined };

export interface Editing extends EntityState {
  readonly faults: readonly Fault[];
  readonly isChanged: boolean;
  readonly reload: () => void;
  readonly edit: (draft: Draft) => void;
  readonly save: (write: Write, etag?: string) => Promise<void>;
  readonly remove: (etag?: string) => Promise<void>;
  /** Continues with the stored version and, if `isRebased`, this draft's changes on top. */
  readonly adopt: (current: Found, isRebased: boolean) => void;
  readonly dismiss: () => void;
}

/** The writes of an editor, with their failures as state. */
function useWrites(place: Place, state: EntityState, change: (part: Partial<EntityState>) => void) {
  const { account, table, onSaved, onDeleted } = place;
  const attempt = async (what: Conflict['attempt'], key: Key, work: () => Promise<void>): Promise<void> => {
    change({ isBusy: true, failure: undefined, conflict: undefined });
    try {
      await work();
      change({ isBusy: false });
    } catch (error) {
      const conflict = isConflict(error)
        ? await currentOf(place, key).then(
            current => ({ current, attempt: what }),
            () => undefined,
          )
        : undefined;
      change({ isBusy: false, conflict, failure: conflict === undefined ? sentenceOf(error) : undefined });
    }
  };
  const save = async (write: Write, etag = state.draft?.etag): Promise<void> => {
    const { draft } = state;
    if (draft === undefined || state.isBusy) return;
    const { row, faults } = read(draft);
    if (faults.length > 0) return;
    const key = keyOf(draft);
    await attempt(write, key, async () => {
      const sent = write === 'merge' ? changesOf(draft.original, row) : row;
      await writeEntity(account, { table, write, row: sent, etag });
      const found = await getEntity(account, table, key);
      change({ draft: draftOf(found.row, found.etag) });
      onSaved(key, found.row);
    });
  };
  const remove = async (etag = state.draft?.etag): Promise<void> => {
    const { draft } = state;
    if (draft === undefined || state.isBusy) return;
    const key = keyOf(draft);
    await attempt('delete', key, async () => {
      await deleteEntity(account, table, key, etag ?? '*');
      onDeleted(key);
    });
  };
  return { save, remove };
}

export function useEntity(place: Place, target: Target): Editing {
  const [state, setState] = useState<EntityState>(START);
  const change = (part: Partial<EntityState>): void => setState(before => ({ ...before, ...part }));
  const load = async (isCurrent: () => boolean): Promise<void> => {
    if (target.kind === 'new') return setState({ ...START, draft: target.draft });
    setState(START);
    try {
      const { row, etag } = await getEntity(place.account, place.table, target.key);
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
  const isUntouchedNew =
    draft?.original === undefined && draft === (target.kind === 'new' ? target.draft : undefined);
  const isChanged =
    draft !== undefined &&
    !isUntouchedNew &&
    (faults.length > 0 || differences(draft.original, row).length > 0);
  return {
    ...state,
    ...useWrites(place, state, change),
    faults,
    isChanged,
    reload: () => void load(() => true),
    edit: edited => change({ draft: edited }),
    adopt: (current, isRebased) =>
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
