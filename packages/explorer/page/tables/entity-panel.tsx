// The editor of one entity, at the side of the grid.
import { Copy, Ellipsis, RefreshCw, Trash2, X } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatLine, type Key, type Row } from '#data-tools/line';
import { type Draft, differences, read } from '../../model/draft.js';
import { Failure, Spinner } from '../shell/blank.js';
import { Confirm } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu } from '../shell/menu.js';
import { notify } from '../state/notice.js';
import { ConflictView } from './conflict-view.js';
import { PropertyFields } from './property-fields.js';
import { type Editing, type Target, useEntity } from './use-entity.js';

interface PanelProps {
  readonly account: string;
  readonly table: string;
  readonly target: Target;
  readonly onSaved: (key: Key, row: Row) => void;
  readonly onDeleted: (key: Key) => void;
  readonly onClose: () => void;
  readonly onDuplicate: (draft: Draft) => void;
  /** Called with whether there are unsaved changes. */
  readonly onChanged: (isChanged: boolean) => void;
}

/** Ids of the fields that differ from the stored entity. */
function changedFields(draft: Draft): ReadonlySet<number> {
  const names = new Set(differences(draft.original, read(draft).row).map(({ name }) => name));
  const isNew = draft.original === undefined;
  return new Set(draft.fields.filter(({ name }) => !isNew && names.has(name)).map(({ id }) => id));
}

const removedNames = (draft: Draft): readonly string[] =>
  (draft.original?.properties ?? [])
    .map(({ name }) => name)
    .filter(name => !draft.fields.some(field => field.name === name));

interface FootProps {
  readonly draft: Draft;
  readonly editing: Editing;
}

/** How the draft is saved: a merge sends what changed, a replace everything. */
function Foot({ draft, editing }: FootProps) {
  const [isReplace, setReplace] = useState(false);
  const { isBusy, isChanged, faults, save } = editing;
  const removed = removedNames(draft);
  const isWhole = isReplace || removed.length > 0;
  const changed = differences(draft.original, read(draft).row).length;
  if (draft.original === undefined)
    return (
      <footer class="panel-foot">
        <button type="submit" class="button primary" disabled={isBusy || faults.length > 0}>
          {isBusy ? 'Inserting…' : 'Insert entity'}
        </button>
      </footer>
    );
  const write = isWhole ? 'replace' : 'merge';
  return (
    <footer class="panel-foot">
      <fieldset class="segmented">
        <legend class="visually-hidden">How to save</legend>
        <label>
          <input
            type="radio"
            name="write"
            checked={!isWhole}
            disabled={removed.length > 0}
            onChange={() => setReplace(false)}
          />
          Merge
        </label>
        <label>
          <input type="radio" name="write" checked={isWhole} onChange={() => setReplace(true)} />
          Replace
        </label>
      </fieldset>
      <span class="hint grow">
        {removed.length > 0
          ? `Only a replace removes ${removed.join(', ')}`
          : isWhole
            ? 'Sends the whole entity'
            : changed === 0
              ? 'No changes'
              : `Sends ${changed} changed ${changed === 1 ? 'property' : 'properties'}`}
      </span>
      <button
        type="button"
        class="button primary"
        disabled={isBusy || !isChanged || faults.length > 0}
        onClick={() => void save(write)}
      >
        {isBusy ? 'Saving…' : 'Save'}
      </button>
    </footer>
  );
}

/** Escape, unless something over the panel takes it. */
const isForPanel = ({ key, defaultPrevented }: KeyboardEvent): boolean =>
  key === 'Escape' && !defaultPrevented && document.querySelector('dialog[open], :popover-open') === null;

const copyLine = (row: Row): void => {
  void navigator.clipboard.writeText(formatLine(row));
  notify('Copied the entity as JSON.');
};

interface HeadProps extends Pick<PanelProps, 'onClose' | 'onDuplicate'> {
  readonly editing: Editing;
  readonly onDelete: () => void;
}

function Head({ editing, onClose, onDelete, onDuplicate }: HeadProps) {
  const { draft } = editing;
  const original = draft?.original;
  return (
    <header class="panel-head">
      <h2 tabIndex={-1}>{draft !== undefined && original === undefined ? 'New entity' : 'Entity'}</h2>
      {draft !== undefined && original !== undefined && (
        <Menu
          label="More about this entity"
          button={<Icon of={Ellipsis} />}
          buttonClass="button quiet square"
          items={[
            { label: 'Copy as JSON', icon: Copy, run: () => copyLine(original) },
            {
              label: 'Duplicate',
              icon: Copy,
              run: () => onDuplicate({ ...draft, original: undefined, etag: undefined }),
            },
            { label: 'Read again', icon: RefreshCw, run: editing.reload },
            { label: 'Delete', icon: Trash2, isDanger: true, run: onDelete },
          ]}
        />
      )}
      <button type="button" class="button quiet square" aria-label="Close the editor" onClick={onClose}>
        <Icon of={X} />
      </button>
    </header>
  );
}

export function EntityPanel(props: PanelProps) {
  const { account, table, target, onSaved, onDeleted, onClose, onChanged, onDuplicate } = props;
  const editing = useEntity({ account, table, onSaved, onDeleted }, target);
  const { draft, failure, conflict, isChanged, isBusy, faults } = editing;
  const [isDeleting, setDeleting] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const changed = useMemo(() => (draft === undefined ? new Set<number>() : changedFields(draft)), [draft]);
  useEffect(() => onChanged(isChanged), [isChanged]);
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>(target.kind === 'new' ? '[data-autofocus]' : 'h2')?.focus();
  }, [target, draft === undefined]);
  useEffect(() => () => document.querySelector<HTMLElement>('.grid')?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (draft?.original === undefined) void editing.save('insert');
  };
  return (
    <aside ref={panel} class="panel" aria-label="Entity" onKeyDown={event => isForPanel(event) && onClose()}>
      <Head {...{ editing, onClose, onDuplicate }} onDelete={() => setDeleting(true)} />
      <form class="panel-form" onSubmit={submit}>
        <div class="panel-body">
          {draft === undefined && failure === undefined && <Spinner label="Reading the entity…" />}
          {draft === undefined && failure !== undefined && (
            <Failure title="The entity cannot be read" sentence={failure} onRetry={editing.reload} />
          )}
          {draft !== undefined && failure !== undefined && (
            <p class="fault boxed" role="alert">
              {failure} What you typed is still here.
            </p>
          )}
          {draft !== undefined && conflict !== undefined && (
            <ConflictView {...{ conflict, draft, editing }} />
          )}
          {draft !== undefined && <PropertyFields {...{ draft, faults, changed }} onEdit={editing.edit} />}
        </div>
        {draft !== undefined && <Foot {...{ draft, editing }} />}
      </form>
      {isDeleting && draft !== undefined && (
        <Confirm
          title="Delete this entity?"
          action="Delete"
          isBusy={isBusy}
          failure={undefined}
          onClose={() => setDeleting(false)}
          onConfirm={() => {
            setDeleting(false);
            void editing.remove();
          }}
        >
          <p>
            <code class="break">{draft.partitionKey || '(empty)'}</code> ·{' '}
            <code class="break">{draft.rowKey || '(empty)'}</code>
          </p>
        </Confirm>
      )}
    </aside>
  );
}
