// Whether two definitions of keys can ever give the same key, judged by their leading literals and alphabets.
import type { CompiledKey } from './compiled-key.js';

const DIGITS = /^[0-9]/;
const HEX = /^[0-9a-f]/;

/** Whether a key that begins with the text may begin with a part of this alphabet. */
function mayBegin(text: string, alphabet: CompiledKey['alphabet']): boolean {
  if (text === '' || alphabet === undefined) return true;
  if (alphabet === 'digits') return DIGITS.test(text);
  return alphabet === 'hex' ? HEX.test(text) : true;
}

/** Whether no text is a key by both definitions. */
export function areDisjoint(a: CompiledKey, b: CompiledKey): boolean {
  const { text: aText, isWhole: aWhole } = a.beginning;
  const { text: bText, isWhole: bWhole } = b.beginning;
  if (aWhole && bWhole) return aText !== bText;
  if (aWhole) return !aText.startsWith(bText) || !mayBegin(aText, b.alphabet);
  if (bWhole) return !bText.startsWith(aText) || !mayBegin(bText, a.alphabet);
  const isPrefix = aText.startsWith(bText) || bText.startsWith(aText);
  return !isPrefix || !mayBegin(aText, b.alphabet) || !mayBegin(bText, a.alphabet);
}
