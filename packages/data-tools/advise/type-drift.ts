// Properties whose types do not suit queries: several types under one name, and numbers or times written as strings,
// which compare and sort as texts.
import { type EdmType, type Row, textOf } from '../line/row.js';
import { type Finding, percent, type Rule } from './finding.js';

/** With fewer values a form is chance. */
const VALUES_LEAST = 20;
const SHARE = 0.95;
/** Longer texts are neither. */
const UNITS_MAX = 40;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

interface Seen {
  readonly types: Map<EdmType, number>;
  strings: number;
  numbers: number;
  times: number;
}

export class TypeDrift implements Rule {
  readonly #seen = new Map<string, Seen>();

  add({ properties }: Row): void {
    for (const property of properties) {
      const { name, type, literal } = property;
      let seen = this.#seen.get(name);
      if (seen === undefined) {
        seen = { types: new Map(), strings: 0, numbers: 0, times: 0 };
        this.#seen.set(name, seen);
      }
      seen.types.set(type, (seen.types.get(type) ?? 0) + 1);
      if (type !== 'String') continue;
      seen.strings++;
      const text = literal.length <= UNITS_MAX ? textOf(property) : '';
      // Digits with a leading zero are codes, such as postal ones.
      if (NUMBER.test(text) && !/^-?0\d/.test(text)) seen.numbers++;
      else if (TIME.test(text)) seen.times++;
    }
  }

  findings(): readonly Finding[] {
    return [...this.#seen].flatMap(([name, seen]) => [...drift(name, seen), ...disguised(name, seen)]);
  }
}

function drift(name: string, { types }: Seen): readonly Finding[] {
  if (types.size < 2) return [];
  const counts = [...types].sort((a, b) => b[1] - a[1]);
  const told = counts.map(([type, count]) => `${type} ${count}`).join(', ');
  return [
    {
      rule: 'type-drift',
      says: `Property ${JSON.stringify(name)} has several types: ${told}. A filter finds values of one type.`,
      evidence: { property: name, types: Object.fromEntries(counts) },
      pattern: 'Write one type, and rewrite the rows that have another.',
    },
  ];
}

function disguised(name: string, { strings, numbers, times }: Seen): readonly Finding[] {
  if (strings < VALUES_LEAST) return [];
  const [what, count, type] =
    numbers >= times
      ? (['numbers', numbers, 'Int64 or Double'] as const)
      : (['times', times, 'DateTime'] as const);
  if (count < strings * SHARE) return [];
  return [
    {
      rule: 'type-drift',
      says: `Property ${JSON.stringify(name)} has ${what} as strings (${percent(count / strings)} of ${strings}): they compare as texts.`,
      evidence: { property: name, strings, [what]: count },
      pattern: `Write it as ${type}.`,
    },
  ];
}
