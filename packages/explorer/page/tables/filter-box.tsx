// The filter box: completes names and operators, classifies the query as it is typed, marks where a text goes wrong, and
// asks before a scan.
import { Play, TriangleAlert } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Column } from '../../model/columns.js';
import { type Completion, completionsAt } from '../../model/completion.js';
import { boundsOf, CLASS_NAMES, isScan, type Verdict, verdictOf } from '../../model/verdict.js';
import { Button, Icon } from '../shell/button.js';
import { useListbox } from '../shell/listbox.js';

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

interface FieldProps {
  readonly text: string;
  readonly verdict: Verdict;
  readonly columns: readonly Column[];
  readonly setText: (text: string) => void;
  readonly onEnter: () => void;
}

/** The text, and the completions at its caret. */
function FilterField({ text, verdict, columns, setText, onEnter }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  const { start, items } = useMemo(
    () => (caret === undefined ? { start: 0, items: [] } : completionsAt(text, caret, columns)),
    [text, caret, columns],
  );
  const close = (): void => setCaret(undefined);
  const follow = (): void => {
    setCaret(input.current?.selectionStart ?? undefined);
    reset();
  };
  const { keyed, reset, field, list } = useListbox<Completion>({
    ...{ id: 'completions', label: 'Completions', kind: 'suggestions', items, takeKey: 'Tab' },
    take: ({ text: completed }) => {
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
    },
    draw: ({ label, hint }) => (
      <>
        <span>{label}</span>
        <span class="hint">{hint}</span>
      </>
    ),
  });
  const pressed = (event: KeyboardEvent): void => {
    if (keyed(event)) return;
    if (event.key === 'Enter') {
      close();
      onEnter();
    } else if (event.key === 'Escape') {
      // The first one closes the list.
      if (items.length === 0) input.current?.blur();
      else event.preventDefault();
      close();
    }
  };
  return (
    <div class="filter-field">
      <input
        ref={input}
        class="filter-input"
        {...field}
        aria-label="Filter"
        aria-invalid={verdict.kind === 'invalid'}
        aria-describedby={verdict.kind === 'all' ? undefined : 'filter-explanation'}
        placeholder="PartitionKey eq 'customer1' and total gt 100.0"
        value={text}
        autocapitalize="off"
        onInput={event => {
          setText(event.currentTarget.value);
          follow();
        }}
        onKeyDown={pressed}
        onClick={follow}
        onBlur={close}
      />
      {items.length > 0 && list}
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
        <FilterField {...{ text, verdict, columns }} setText={change} onEnter={enter} />
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
