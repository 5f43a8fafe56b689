// Texts with choices: `«a|b»` is one of its words, `«@name»` one of the texts under that name in words.ts, which have
// choices too.
import fc from 'fast-check';
import { from, oneOf } from '../../random/arbitrary.js';
import { WORDS, type WordsName } from './words.js';

const known = new Map<string, fc.Arbitrary<string>>();

function named(name: string): fc.Arbitrary<string> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const texts = WORDS[name as WordsName];
  if (texts === undefined) throw new RangeError(`There are no words @${name}.`);
  const made = oneOf(...texts.map(text => [1, phrase(text)] as const));
  known.set(name, made);
  return made;
}

export function phrase(template: string): fc.Arbitrary<string> {
  const pieces = template.split(/«([^»]*)»/);
  if (pieces.length === 1) return fc.constant(template);
  const gaps = pieces
    .filter((_, at) => at % 2 === 1)
    .map(gap => (gap.startsWith('@') ? named(gap.slice(1)) : from(gap.split('|'))));
  return fc
    .tuple(...gaps)
    .map(filled => pieces.map((piece, at) => (at % 2 === 0 ? piece : filled[(at - 1) / 2])).join(''));
}
