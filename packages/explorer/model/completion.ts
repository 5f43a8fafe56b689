// Completion in the filter box: what can stand at the caret. A filter is `property operator value`, joined by and, or
// and not; the word before the caret decides.
import type { Column } from './columns.js';

export interface Completion {
  /** What replaces the text from `start` to the caret. */
  readonly text: string;
  readonly label: string;
  readonly hint: string;
}

export interface Completions {
  readonly start: number;
  readonly items: readonly Completion[];
}

const OPERATORS: readonly (readonly [word: string, hint: string])[] = [
  ['eq', 'equal to'],
  ['ne', 'not equal to'],
  ['gt', 'greater than'],
  ['ge', 'greater than or equal to'],
  ['lt', 'less than'],
  ['le', 'less than or equal to'],
];
const JOINS: readonly (readonly [word: string, hint: string])[] = [
  ['and', 'both hold'],
  ['or', 'either holds'],
];
/** How a value of the type is written in a filter. */
const VALUE_FORMS: Readonly<Record<Column['type'], readonly string[]>> = {
  String: ["''"],
  Boolean: ['true', 'false'],
  Int32: [],
  Int64: ['0L'],
  Double: ['0.0'],
  DateTime: ["datetime'2026-01-01T00:00:00Z'"],
  Guid: ["guid'00000000-0000-0000-0000-000000000000'"],
  Binary: ["X''"],
};
const ITEMS_MAX = 8;

/** Tokens before the caret; a string that is not closed yet takes the rest. */
const TOKEN = /\(|\)|(?:[A-Za-z]+)?'(?:[^']|'')*(?:'|$)|[^\s()']+/g;
const IS_OPERATOR: ReadonlySet<string> = new Set(OPERATORS.map(([word]) => word));
const OPENS_CONDITION: ReadonlySet<string> = new Set(['', '(', 'and', 'or', 'not']);

const wordsOf = (words: readonly (readonly [string, string])[]): readonly Completion[] =>
  words.map(([word, hint]) => ({ text: `${word} `, label: word, hint }));

function candidates(before: readonly string[], columns: readonly Column[]): readonly Completion[] {
  const last = before.at(-1) ?? '';
  if (OPENS_CONDITION.has(last)) {
    const names = columns.map(({ name, type }) => ({ text: `${name} `, label: name, hint: type }));
    return [...names, { text: 'not ', label: 'not', hint: 'the condition does not hold' }];
  }
  if (IS_OPERATOR.has(last)) {
    const column = columns.find(({ name }) => name === before.at(-2));
    return (VALUE_FORMS[column?.type ?? 'String'] ?? []).map(text => ({
      text,
      label: text,
      hint: column?.type ?? 'String',
    }));
  }
  const isAfterValue = IS_OPERATOR.has(before.at(-2) ?? '') || last === ')';
  return wordsOf(isAfterValue ? JOINS : OPERATORS);
}

/** What fits at the caret, the best first; none inside of a string. */
export function completionsAt(text: string, caret: number, columns: readonly Column[]): Completions {
  const tokens = [...text.slice(0, caret).matchAll(TOKEN)];
  const last = tokens.at(-1);
  const isInside = last !== undefined && last.index + last[0].length === caret && !/^[()]$/.test(last[0]);
  if (isInside && last[0].includes("'")) return { start: caret, items: [] };
  const typed = isInside ? last[0] : '';
  const before = (isInside ? tokens.slice(0, -1) : tokens).map(([token]) => token);
  const wanted = typed.toLowerCase();
  const fitting = candidates(before, columns).filter(({ label }) => label.toLowerCase().includes(wanted));
  const items = [...fitting]
    .sort(
      (one, other) =>
        Number(other.label.toLowerCase().startsWith(wanted)) -
        Number(one.label.toLowerCase().startsWith(wanted)),
    )
    .slice(0, ITEMS_MAX);
  const isComplete = items.length === 1 && items[0]?.label === typed;
  return { start: caret - typed.length, items: isComplete ? [] : items };
}
