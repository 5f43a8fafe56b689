// Mutates any text in one place or a few. A mutation is a value of its own, so that a failure shrinks to the fewest.
import fc from 'fast-check';
import { below, from, oneOf, seldom, several } from '../../random/arbitrary.js';
import { ODD_TEXTS } from './odd-texts.js';

interface Mutation {
  readonly change: Change;
  /** Modulo the places that the text has. */
  readonly at: number;
  readonly to: number;
  readonly span: number;
  readonly odd: string;
  /** Characters that a repeated span has at least. */
  readonly length: number;
}

type Change = (text: string, mutation: Mutation) => string;

const SPAN_MAX = 12;
const PLACES = 2 ** 24;
/** Up to the limit of a body, seldom, since it costs milliseconds. */
const LONG = from([40, 300, 1_025, 2_000]);
const HUGE = from([33_000, 70_000, 1_100_000, 4_100_000, 4_200_000]);
const SHORT = fc.constant(0);

const place = (text: string, at: number): number => at % (text.length + 1);

const replace: Change = (text, { at, span, odd }) => {
  const start = place(text, at);
  return text.slice(0, start) + odd + text.slice(start + span);
};
const insert: Change = (text, mutation) => replace(text, { ...mutation, span: 0 });
const cut: Change = (text, mutation) => replace(text, { ...mutation, odd: '' });
const truncate: Change = (text, { at }) => text.slice(0, place(text, at));

const alter: Change = (text, { at, span }) => {
  const start = place(text, at);
  const unit = (text.charCodeAt(start) || 0) ^ (1 << (span % 8));
  return text.slice(0, start) + String.fromCharCode(unit) + text.slice(start + 1);
};

/** Repeats a span once, or so often that recursion or backtracking over it fails. */
const repeat: Change = (text, { at, span, odd, length }) => {
  const start = place(text, at);
  const repeated = text.slice(start, start + span) || odd;
  const times = Math.ceil(Math.max(length, 2 * repeated.length) / repeated.length);
  return text.slice(0, start) + repeated.repeat(times) + text.slice(start);
};

const swap: Change = (text, { at, to, span }) => {
  const start = place(text, at);
  const rest = text.slice(0, start) + text.slice(start + span);
  const end = place(rest, to);
  return rest.slice(0, end) + text.slice(start, start + span) + rest.slice(end);
};

const changeCase: Change = (text, mutation) => {
  const start = place(text, mutation.at);
  const span = text.slice(start, start + mutation.span);
  const upper = span.toUpperCase();
  return replace(text, { ...mutation, odd: upper === span ? span.toLowerCase() : upper });
};

const CHANGES = [insert, insert, cut, replace, replace, truncate, alter, repeat, swap, changeCase];

const MUTATION: fc.Arbitrary<Mutation> = fc
  .tuple(
    from(CHANGES),
    below(PLACES),
    below(PLACES),
    below(SPAN_MAX),
    from(ODD_TEXTS),
    oneOf([94, SHORT], [5, LONG], [1, HUGE]),
  )
  .map(([change, at, to, span, odd, length]) => ({ change, at, to, span, odd, length }));

/** One to three mutations in so many of a hundred cases, otherwise none. */
export const mutations = (percent: number): fc.Arbitrary<(text: string) => string> =>
  seldom(percent, several(MUTATION, 1, 3), fc.constant<Mutation[]>([])).map(
    all => text => all.reduce((changed, one) => one.change(changed, one), text),
  );
