// The editor of one entity, at the side of the grid.
import { Copy, RefreshCw, Trash2, X } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatLine } from '#data-tools/line';
import type { Draft } from '../../model/draft.js';
import { Failure, Fault, Spinner } from '../shell/blank.js';
import { Button, IconButton } from '../shell/button.js';
import { Loss } from '../shell/dialog.js';
import { type Options, Radios } from '../shell/field.js';
import { Menu } from '../shell/menu.js';
import { copyText } from '../state/notice.js';
import { ConflictView } from './conflict-view.js';
import { PropertyFields } from './property-fields.js';
import { type Editing, type Target, useEntity } from './use-entity.js';
import type { TableProps } from './use-table.js';

interface PanelProps extends TableProps {
  readonly target: Target;
}

const removedNames = (draft: Draft): readonly string[] =>
  (draft.original?.properties ?? [])
    .map(({ name }) => name)
    .filter(name => !draft.fields.some(field => field.name === name));

const WRITES: Options<'merge' | 'replace'> = [
  ['merge', 'Merge'],
  ['replace', 'Replace'],
];

interface FootProps {
  readonly draft: Draft;
  readonly editing: Editing;
}

/** How the draft is saved: a merge sends what changed, a replace everything. */
function Foot({ draft, editing }: FootProps) {
  const [chosen, setChosen] = useState<'merge' | 'replace'>('merge');
  const { isBusy, isChanged, changes, faults, save } = editing;
  const removed = removedNames(draft);
  const write = removed.length > 0 ? 'replace' : chosen;
  const changed = changes.length;
  if (draft.original === undefined)
    return (
      <footer class="panel-foot">
        <Button kind="primary" disabled={isBusy || faults.length > 0}>
          {isBusy ? 'Inserting…' : 'Insert entity'}
        </Button>
      </footer>
    );
  return (
    <footer class="panel-foot">
      <Radios
        legend="How to save"
        options={WRITES}
        value={write}
        onChoose={setChosen}
        disabled={removed.length > 0 ? 'merge' : undefined}
        isBar
      />
      <span class="hint grow">
        {removed.length > 0
          ? `Only a replace removes ${removed.join(', ')}`
          : write === 'replace'
            ? 'Sends the whole entity'
            : changed === 0
              ? 'No changes'
              : `Sends ${changed} changed ${changed === 1 ? 'property' : 'properties'}`}
      </span>
      <Button
        kind="primary"
        disabled={isBusy || !isChanged || faults.length > 0}
        onClick={() => void save(write)}
      >
        {isBusy ? 'Saving…' : 'Save'}
      </Button>
    </footer>
  );
}

/** Escape closes the panel, unless something over it takes the key. */
function closeBy(event: KeyboardEvent, onClose: () => void): void {
  const isTaken = event.defaultPrevented || document.querySelector('dialog[open], :popover-open') !== null;
  if (event.key !== 'Escape' || isTaken) return;
  // Or the key would also close the question about unsaved changes, which opens now.
  event.preventDefault();
  onClose();
}

interface HeadProps extends TableProps {
  readonly editing: Editing;
  readonly onDelete: () => void;
}

function Head({ state: { editor }, editing, onDelete }: HeadProps) {
  const { draft } = editing;
  const original = draft?.original;
  return (
    <header class="panel-head">
      <h2 tabIndex={-1}>{draft !== undefined && original === undefined ? 'New entity' : 'Entity'}</h2>
      {draft !== undefined && original !== undefined && (
        <Menu
          label="More about this entity"
          items={[
            {
              label: 'Copy as JSON',
              icon: Copy,
              run: () => copyText(formatLine(original), 'Copied the entity as JSON.'),
            },
            {
              label: 'Duplicate',
              icon: Copy,
              run: () =>
                editor.show({ kind: 'new', draft: { ...draft, original: undefined, etag: undefined } }),
            },
            { label: 'Read again', icon: RefreshCw, run: editing.reload },
            { label: 'Delete', icon: Trash2, isDanger: true, run: onDelete },
          ]}
        />
      )}
      <IconButton icon={X} label="Close the editor" onClick={() => editor.show(undefined)} />
    </header>
  );
}

export function EntityPanel({ state, target }: PanelProps) {
  const editing = useEntity(state, target);
  const { draft, failure, conflict, isChanged, changes, faults } = editing;
  const [isDeleting, setDeleting] = useState(false);
  const panel = useRef<HTMLElement>(null);
  // Before the next key or click, which may leave the panel: an effect after the paint comes too late on a busy machine.
  useLayoutEffect(() => state.editor.setChanged(isChanged), [isChanged]);
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>(target.kind === 'new' ? '[data-autofocus]' : 'h2')?.focus();
  }, [target, draft === undefined]);
  useEffect(() => () => document.querySelector<HTMLElement>('.grid')?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (draft?.original === undefined) void editing.save('insert');
  };
  return (
    <aside
      ref={panel}
      class="panel"
      aria-label="Entity"
      onKeyDown={event => closeBy(event, () => state.editor.show(undefined))}
    >
      <Head {...{ state, editing }} onDelete={() => setDeleting(true)} />
      <form class="panel-form" onSubmit={submit}>
        <div class="panel-body">
          {draft === undefined && failure === undefined && <Spinner label="Reading the entity…" />}
          {draft === undefined && failure !== undefined && (
            <Failure title="The entity cannot be read" sentence={failure} onRetry={editing.reload} />
          )}
          {draft !== undefined && failure !== undefined && (
            <Fault text={`${failure} What you typed is still here.`} kind="boxed" />
          )}
          {draft !== undefined && conflict !== undefined && (
            <ConflictView {...{ conflict, draft, editing }} />
          )}
          {draft !== undefined && <PropertyFields {...{ draft, faults, changes }} onEdit={editing.edit} />}
        </div>
        {draft !== undefined && <Foot {...{ draft, editing }} />}
      </form>
      {isDeleting && draft !== undefined && (
        <Loss
          title="Delete this entity?"
          action="Delete"
          perform={() => void editing.remove()}
          onClose={() => setDeleting(false)}
        >
          <p>
            <code class="break">{draft.partitionKey || '(empty)'}</code> ·{' '}
            <code class="break">{draft.rowKey || '(empty)'}</code>
          </p>
        </Loss>
      )}
    </aside>
  );
}
