// Mutates a text in one place or a few, whatever it is the text of.
import type { Random } from '../../simulation/plan/random.js';
import { ODD_TEXTS } from './odd-texts.js';

type Change = (random: Random, text: string) => string;

const SPAN_MAX = 12;
/** As much as a body may be, seldom, since it costs milliseconds. */
const LONG = [40, 300, 1_025, 2_000];
const HUGE = [33_000, 70_000, 1_100_000, 4_100_000, 4_200_000];
const HUGE_SHARE = 0.01;

function spanOf(random: Random, text: string): readonly [from: number, until: number] {
  const from = random.below(text.length + 1);
  return [from, Math.min(text.length, from + random.below(SPAN_MAX))];
}

const insertAt = (text: string, at: number, added: string): string =>
  text.slice(0, at) + added + text.slice(at);

const insert: Change = (random, text) =>
  insertAt(text, random.below(text.length + 1), random.pick(ODD_TEXTS));

const cut: Change = (random, text) => {
  const [from, until] = spanOf(random, text);
  return text.slice(0, from) + text.slice(until);
};

const replace: Change = (random, text) => {
  const [from, until] = spanOf(random, text);
  return text.slice(0, from) + random.pick(ODD_TEXTS) + text.slice(until);
};

const truncate: Change = (random, text) => text.slice(0, random.below(text.length + 1));

const alter: Change = (random, text) => {
  const at = random.below(text.length + 1);
  const unit = (text.charCodeAt(at) || 0) ^ (1 << random.below(8));
  return text.slice(0, at) + String.fromCharCode(unit) + text.slice(at + 1);
};

/** Repeats a span, sometimes often enough to expose recursion and backtracking. */
const repeat: Change = (random, text) => {
  const [from, until] = spanOf(random, text);
  const span = text.slice(from, until) || random.pick(ODD_TEXTS);
  const length = random.happens(HUGE_SHARE)
    ? random.pick(HUGE)
    : random.happens(0.05)
      ? random.pick(LONG)
      : 2 * span.length;
  return insertAt(text, from, span.repeat(Math.ceil(length / span.length)));
};

const swap: Change = (random, text) => {
  const [from, until] = spanOf(random, text);
  const rest = text.slice(0, from) + text.slice(until);
  return insertAt(rest, random.below(rest.length + 1), text.slice(from, until));
};

const changeCase: Change = (random, text) => {
  const [from, until] = spanOf(random, text);
  const span = text.slice(from, until);
  const upper = span.toUpperCase();
  return text.slice(0, from) + (upper === span ? span.toLowerCase() : upper) + text.slice(until);
};

const CHANGES: readonly Change[] = [
  insert,
  insert,
  cut,
  replace,
  replace,
  truncate,
  alter,
  repeat,
  swap,
  changeCase,
];

export function mutate(random: Random, text: string): string {
  let mutated = text;
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--)
    mutated = random.pick(CHANGES)(random, mutated);
  return mutated;
}

/** In bytes that need not be UTF-8. */
export const mutateBytes = (random: Random, bytes: Buffer): Buffer =>
  Buffer.from(mutate(random, bytes.toString('latin1')), 'latin1');
