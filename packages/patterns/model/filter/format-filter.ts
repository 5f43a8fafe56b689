// Formats a condition as $filter: each value with the prefix of its type, so that the service compares it by that type. URL escapes are added later.
import { toHex } from '../../values/bytes.js';
import { doubleLiteral } from '../../values/edm.js';
import type { TypedValue } from '../../values/typed-value.js';
import type { Condition, Operand } from './condition.js';

/** A text as a literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function formatDouble(value: number): string {
  if (Number.isFinite(value)) return doubleLiteral(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'INF' : '-INF';
}

/** `'O''Neil'`, `5`, `5L`, `3.0`, `true`, `datetime'…'` with seven digits, `guid'…'`, `X'0aff'`. */
export function formatLiteral({ type, value }: TypedValue): string {
  switch (type) {
    case 'String':
      return quoted(String(value));
    case 'Int32':
    case 'Boolean':
      return String(value);
    case 'Int64':
      return `${value}L`;
    case 'Double':
      return formatDouble(Number(value));
    case 'DateTime':
      return `datetime'${value}'`;
    case 'Guid':
      return `guid'${value}'`;
    case 'Binary':
      return `X'${toHex(value as Uint8Array)}'`;
  }
}

const formatOperand = (operand: Operand): string =>
  operand.kind === 'property' ? operand.name : formatLiteral(operand.typed);

/** In parentheses where it is more than a comparison: no reader has to know the precedence. */
function formatTerm(condition: Condition): string {
  const text = formatFilter(condition);
  return condition.kind === 'and' || condition.kind === 'or' ? `(${text})` : text;
}

/** The text that `parseFilter` reads as the same condition. */
export function formatFilter(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.terms.map(formatTerm).join(` ${condition.kind} `);
    case 'not':
      return `not (${formatFilter(condition.term)})`;
    case 'compare':
      return `${formatOperand(condition.left)} ${condition.operator} ${formatOperand(condition.right)}`;
    default:
      return formatOperand(condition);
  }
}
