// The editor of one entity, at the side of the grid.
import { Copy, RefreshCw, Trash2, X } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatLine } from '#data-tools/line';
import { counted } from '../../model/cell.js';
import { type Draft, NEW_DRAFT } from '../../model/draft.js';
import { Failure, Fault, Spinner } from '../shell/blank.js';
import { Button, IconButton } from '../shell/button.js';
import { ask } from '../shell/dialog.js';
import { Field, type Options } from '../shell/field.js';
import { Menu } from '../shell/menu.js';
import { copyText } from '../state/notice.js';
import { ConflictView } from './conflict-view.js';
import { PropertyFields } from './property-fields.js';
import { type Editing, type Target, useEntity } from './use-entity.js';
import type { TableProps } from './use-table.js';

interface EditingProps {
  readonly draft: Draft;
  readonly editing: Editing;
}

const WRITES: Options<'merge' | 'replace'> = [
  ['merge', 'Merge'],
  ['replace', 'Replace'],
];

/** How the draft is saved: a merge sends what changed, a replace everything. */
function Foot({ draft: { original, fields }, editing }: EditingProps) {
  const [chosen, setChosen] = useState<'merge' | 'replace'>('merge');
  const { isBusy, isChanged, changes, faults, save } = editing;
  if (original === undefined)
    return (
      <footer class="panel-foot">
        <Button kind="primary" disabled={isBusy || faults.length > 0}>
          {isBusy ? 'Inserting…' : 'Insert entity'}
        </Button>
      </footer>
    );
  const names = original.properties.map(({ name }) => name);
  const removed = names.filter(name => !fields.some(field => field.name === name));
  const write = removed.length > 0 ? 'replace' : chosen;
  const merged = isChanged
    ? `Sends ${counted(changes.length, 'changed property', 'changed properties')}`
    : 'No changes';
  const replaced =
    removed.length > 0 ? `Only a replace removes ${removed.join(', ')}` : 'Sends the whole entity';
  return (
    <footer class="panel-foot">
      <Field
        label="How to save"
        kind="bar"
        options={WRITES}
        value={write}
        onText={setChosen}
        disabled={removed.length > 0 ? 'merge' : undefined}
      />
      <span class="hint grow">{write === 'merge' ? merged : replaced}</span>
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

function askToDelete({ draft, remove }: Editing): void {
  const { partitionKey = '', rowKey = '' } = draft ?? {};
  ask({
    title: 'Delete this entity?',
    action: 'Delete',
    isDanger: true,
    text: (
      <p>
        <code class="break">{partitionKey || '(empty)'}</code> ·{' '}
        <code class="break">{rowKey || '(empty)'}</code>
      </p>
    ),
    perform: () => void remove(),
  });
}

function Head({ state: { editor }, editing }: TableProps & { readonly editing: Editing }) {
  const { draft, reload } = editing;
  const original = draft?.original;
  const copyLine = (): void => copyText(original ? formatLine(original) : '', 'Copied the entity as JSON.');
  const duplicate = (): void =>
    editor.show({ kind: 'new', draft: { ...(draft ?? NEW_DRAFT), original: undefined, etag: undefined } });
  const items = [
    { label: 'Copy as JSON', icon: Copy, run: copyLine },
    { label: 'Duplicate', icon: Copy, run: duplicate },
    { label: 'Read again', icon: RefreshCw, run: reload },
    { label: 'Delete', icon: Trash2, isDanger: true, run: () => askToDelete(editing) },
  ];
  return (
    <header class="panel-head">
      <h2 tabIndex={-1}>{draft !== undefined && original === undefined ? 'New entity' : 'Entity'}</h2>
      {original !== undefined && <Menu label="More about this entity" items={items} />}
      <IconButton icon={X} label="Close the editor" onClick={() => editor.show(undefined)} />
    </header>
  );
}

/** The draft, with what is in the way of saving it. */
function Editor({ draft, editing }: EditingProps) {
  const { failure, conflict, changes, faults, edit, save } = editing;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (draft.original === undefined) void save('insert');
  };
  return (
    <form class="panel-form" onSubmit={submit}>
      <div class="panel-body">
        {failure !== undefined && <Fault text={`${failure} What you typed is still here.`} kind="boxed" />}
        {conflict !== undefined && <ConflictView {...{ conflict, draft, editing }} />}
        <PropertyFields {...{ draft, faults, changes }} onEdit={edit} />
      </div>
      <Foot {...{ draft, editing }} />
    </form>
  );
}

export function EntityPanel({ state, target }: TableProps & { readonly target: Target }) {
  const editing = useEntity(state, target);
  const { draft, failure, conflict, isChanged } = editing;
  const panel = useRef<HTMLElement>(null);
  // Before the next key or click, which may leave the panel: an effect after the paint comes too late on a busy machine.
  useLayoutEffect(() => state.editor.setChanged(isChanged), [isChanged]);
  // Also when a button that had the focus is gone or disabled: after a save, and when a conflict comes or is resolved.
  useLayoutEffect(() => {
    const wanted = draft !== undefined && draft.original === undefined ? '[data-autofocus]' : 'h2';
    panel.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [target, draft === undefined, draft?.original, conflict]);
  useEffect(() => () => document.querySelector<HTMLElement>('.grid')?.focus(), []);
  return (
    <aside
      ref={panel}
      class="panel"
      aria-label="Entity"
      onKeyDown={event => closeBy(event, () => state.editor.show(undefined))}
    >
      <Head {...{ state, editing }} />
      {draft !== undefined && <Editor {...{ draft, editing }} />}
      {draft === undefined && failure === undefined && <Spinner label="Reading the entity…" />}
      {draft === undefined && failure !== undefined && (
        <Failure title="The entity cannot be read" sentence={failure} onRetry={editing.reload} />
      )}
    </aside>
  );
}
