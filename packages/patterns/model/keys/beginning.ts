// What keys begin with, judged by their definitions: which rows may be of an entity, and whether rows of two can have the same keys.
import type { CompiledKey } from './compiled-key.js';

/** The text that every key begins with: its leading literals. `isWhole` if that is all of the key. */
export function beginningOf({ parts, separator }: CompiledKey): {
  readonly text: string;
  readonly isWhole: boolean;
} {
  const first = parts.findIndex(each => typeof each !== 'string');
  const isWhole = first < 0;
  const text = (isWhole ? parts : parts.slice(0, first)).join(separator);
  return { text: isWhole || first === 0 ? text : text + separator, isWhole };
}

/** What texts of these codecs begin with. */
const ALPHABETS: Readonly<Record<string, RegExp>> = { digits: /^[0-9]/, hex: /^[0-9a-f]/ };

/** Whether a key that begins with the text may begin with the first part of this one. */
function mayBegin({ parts: [first] }: CompiledKey, text: string): boolean {
  if (text === '' || typeof first !== 'object') return true;
  return ALPHABETS[first.codec.text]?.test(text) ?? true;
}

/** Whether no text is a key by both definitions, judged by their leading literals and alphabets. */
export function areDisjoint(a: CompiledKey, b: CompiledKey): boolean {
  const { text: own, isWhole } = beginningOf(a);
  const { text: others, isWhole: isOtherWhole } = beginningOf(b);
  if (isWhole && isOtherWhole) return own !== others;
  if (isWhole) return !own.startsWith(others) || !mayBegin(b, own);
  if (isOtherWhole) return areDisjoint(b, a);
  const isPrefix = own.startsWith(others) || others.startsWith(own);
  return !isPrefix || !mayBegin(b, own) || !mayBegin(a, others);
}
