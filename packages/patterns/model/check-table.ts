// Checks entities that share a table: no row of one can have the keys of another, and their rows can be told apart. entity.ts checks each one by itself.
import type { CompiledKey } from '../keys/compiled-key.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { AnyEntity } from './entity.js';

const DIGITS = /^[0-9]/;
const HEX = /^[0-9a-f]/;

/** Whether a key that begins with the text may begin with a part of this alphabet. */
function mayBegin(text: string, alphabet: CompiledKey['alphabet']): boolean {
  if (text === '' || alphabet === undefined) return true;
  if (alphabet === 'digits') return DIGITS.test(text);
  return alphabet === 'hex' ? HEX.test(text) : true;
}

/** Whether no text is a key by both definitions, as far as literals and alphabets tell. */
function areDisjoint(a: CompiledKey, b: CompiledKey): boolean {
  const { text: aText, isWhole: aWhole } = a.beginning;
  const { text: bText, isWhole: bWhole } = b.beginning;
  if (aWhole && bWhole) return aText !== bText;
  if (aWhole) return !aText.startsWith(bText) || !mayBegin(aText, b.alphabet);
  if (bWhole) return !bText.startsWith(aText) || !mayBegin(bText, a.alphabet);
  const isPrefix = aText.startsWith(bText) || bText.startsWith(aText);
  return !isPrefix || !mayBegin(aText, b.alphabet) || !mayBegin(bText, a.alphabet);
}

function checkPair(a: AnyEntity, b: AnyEntity): void {
  const refuse = (reason: string): never => {
    refuseDefinition(`${a.name} and ${b.name} in ${a.table}`, reason);
  };
  if (a.name === b.name) refuse('two entities of a table have one name');
  if (a.tag !== b.tag) refuse('entities of one table say what they are by the same property');
  if (!areDisjoint(a.plan.partition, b.plan.partition) && !areDisjoint(a.plan.row, b.plan.row))
    refuse('both may have the same keys; begin one of the keys with a literal of its own');
}

/** Throws DefinitionInvalid if entities of one table could get into each other's way. Those of different tables never do. */
export function checkTable(entities: readonly AnyEntity[]): void {
  for (const [at, a] of entities.entries())
    for (const b of entities.slice(at + 1))
      if (a !== b && a.table.toLowerCase() === b.table.toLowerCase()) checkPair(a, b);
}
