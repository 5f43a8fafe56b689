// The filter box: completes names and operators, classifies the query as it is typed, marks where a text goes wrong, and
// asks before a scan.
import { Play, TriangleAlert } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Column } from '../../model/columns.js';
import { type Completion, completionsAt } from '../../model/completion.js';
import { boundsOf, CLASS_NAMES, isScan, type Verdict, verdictOf } from '../../model/verdict.js';
import { Button } from '../shell/button.js';
import { Icon } from '../shell/icon.js';

interface FilterBoxProps {
  /** The filter of the query that is shown. */
  readonly filter: string;
  readonly columns: readonly Column[];
  readonly onRun: (filter: string) => void;
}

function chipOf(verdict: Verdict): readonly [kind: string, label: string] {
  if (verdict.kind === 'all') return ['', 'All entities'];
  if (verdict.kind === 'invalid') return ['invalid', 'Not valid yet'];
  return [verdict.plan.class, CLASS_NAMES[verdict.plan.class]];
}

/** Characters around an error. */
const CONTEXT = 24;

/** The bounds and advice of a query, or the place of an error. */
function Explanation({ verdict, text }: { readonly verdict: Verdict; readonly text: string }) {
  if (verdict.kind === 'all') return null;
  if (verdict.kind === 'invalid') {
    const { position, message } = verdict;
    const start = Math.max(0, position - CONTEXT);
    return (
      <p class="explanation fault" id="filter-explanation">
        <code class="excerpt">
          {start > 0 && '…'}
          {text.slice(start, position)}
          <mark>{text.slice(position, position + CONTEXT) || '⎵'}</mark>
        </code>
        At character {position + 1}: {message}
      </p>
    );
  }
  const bounds = boundsOf(verdict.plan);
  return (
    <div class="explanation" id="filter-explanation">
      {bounds.length === 0 && <p>Nothing can match.</p>}
      {bounds.map(line => (
        <p key={line}>
          Reads <code>{line}</code>
        </p>
      ))}
      {verdict.plan.advice.map(line => (
        <p key={line} class="hint">
          {line}
        </p>
      ))}
    </div>
  );
}

/** The text, and the completions at its caret. */
function useCompletion(text: string, setText: (text: string) => void, columns: readonly Column[]) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  const [chosen, setChosen] = useState(0);
  const found = useMemo(
    () => (caret === undefined ? undefined : completionsAt(text, caret, columns)),
    [text, caret, columns],
  );
  const items = found?.items ?? [];
  const follow = (): void => {
    setCaret(input.current?.selectionStart ?? undefined);
    setChosen(0);
  };
  const take = ({ text: completed }: Completion): void => {
    const start = found?.start ?? 0;
    const after = start + completed.length;
    const changed = text.slice(0, start) + completed + text.slice(caret);
    if (input.current !== null) {
      // At once: the next key may come before the next drawing. The caret goes between the quotes of a value.
      input.current.value = changed;
      const at = completed.endsWith("''") ? after - 1 : after;
      input.current.setSelectionRange(at, at);
    }
    setText(changed);
    follow();
  };
  return { input, items, chosen, setChosen, follow, take, close: () => setCaret(undefined) };
}

type Completing = ReturnType<typeof useCompletion>;

const Suggestions = ({ items, chosen, take }: Pick<Completing, 'items' | 'chosen' | 'take'>) => (
  <div id="filter-completions" class="suggestions" role="listbox" aria-label="Completions">
    {items.map((item, at) => (
      <div
        key={item.label}
        id={`completion-${at}`}
        role="option"
        tabIndex={-1}
        aria-selected={at === chosen}
        class="suggestion"
        onPointerDown={event => {
          event.preventDefault();
          take(item);
        }}
      >
        <span>{item.label}</span>
        <span class="hint">{item.hint}</span>
      </div>
    ))}
  </div>
);

/** Keys of the list of completions. Whether the key was one. */
function completionKey(event: KeyboardEvent, { items, chosen, setChosen, take, close }: Completing): boolean {
  const item = items[chosen];
  if (item === undefined) return false;
  if (event.key === 'ArrowDown') setChosen((chosen + 1) % items.length);
  else if (event.key === 'ArrowUp') setChosen((chosen - 1 + items.length) % items.length);
  else if (event.key === 'Tab' && !event.shiftKey) take(item);
  else if (event.key === 'Escape') close();
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

interface FieldProps {
  readonly text: string;
  readonly verdict: Verdict;
  readonly completing: Completing;
  readonly setText: (text: string) => void;
  readonly onEnter: () => void;
}

function FilterField({ text, verdict, completing, setText, onEnter }: FieldProps) {
  const { input, items, chosen, follow, close } = completing;
  const keyed = (event: KeyboardEvent): void => {
    if (completionKey(event, completing)) return;
    if (event.key === 'Enter') {
      close();
      onEnter();
    } else if (event.key === 'Escape') input.current?.blur();
  };
  return (
    <div class="filter-field">
      <input
        ref={input}
        class="filter-input"
        role="combobox"
        aria-label="Filter"
        aria-expanded={items.length > 0}
        aria-controls="filter-completions"
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `completion-${chosen}` : undefined}
        aria-invalid={verdict.kind === 'invalid'}
        aria-describedby={verdict.kind === 'all' ? undefined : 'filter-explanation'}
        placeholder="PartitionKey eq 'customer1' and total gt 100.0"
        value={text}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={event => {
          setText(event.currentTarget.value);
          follow();
        }}
        onKeyDown={keyed}
        onClick={follow}
        onBlur={close}
      />
      {items.length > 0 && <Suggestions {...completing} />}
    </div>
  );
}

export function FilterBox({ filter, columns, onRun }: FilterBoxProps) {
  const [text, setText] = useState(filter);
  const [isAsking, setAsking] = useState(false);
  const verdict = useMemo(() => verdictOf(text), [text]);
  const [kind, label] = chipOf(verdict);
  const change = (changed: string): void => {
    setText(changed);
    setAsking(false);
  };
  const completing = useCompletion(text, change, columns);
  useEffect(() => setText(filter), [filter]);
  const run = (): void => {
    setAsking(false);
    onRun(text.trim());
  };
  const enter = (): void => {
    if (verdict.kind === 'invalid') return;
    if (isScan(verdict) && text.trim() !== filter && !isAsking) setAsking(true);
    else run();
  };
  return (
    <search class="filter-box">
      <div class="filter-row">
        <FilterField {...{ text, verdict, completing }} setText={change} onEnter={enter} />
        <span class={`chip ${kind}`}>{label}</span>
        <Button
          kind="primary"
          icon={Play}
          iconSize={14}
          disabled={verdict.kind === 'invalid'}
          onClick={enter}
        >
          Run
        </Button>
      </div>
      {isAsking && verdict.kind === 'plan' && (
        <div class="warning" role="alert">
          <Icon of={TriangleAlert} />
          <p>
            This reads{' '}
            {verdict.plan.class === 'table-scan' ? 'the whole table' : 'every entity within the bounds'} to
            find what matches. Results arrive page by page; you can stop at any time.
          </p>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button kind="primary" onClick={run}>
            Scan
          </Button>
        </div>
      )}
      {text.trim() !== '' && <Explanation verdict={verdict} text={text} />}
    </search>
  );
}
