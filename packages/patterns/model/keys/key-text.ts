// Text in keys: the characters that are forbidden there, and an escape that keeps the order of texts. It knows no parts.
//
// A single escape character cannot keep order. Here each character that is escaped takes the character just below it as prefix, and that
// one is escaped too, so codes are in the order of characters and none begins another:
//
//   U+0000-001F  "0hh        .  .0      >  >0      [  [0      ~            ~0
//   space        "1          /  .1      ?  >1      \  [1      U+007F-009F  ~1hh
//   !            "2
//   "            "3
//   #            "4          everything else stands for itself
//
// Every code begins above `!`, so `!` separates texts and keeps the order of tuples: a tuple comes before all that it begins.
import { refuseKey } from '../../values/pattern-error.js';

/** 1 KiB of UTF-16, as the service's documentation of the data model has it. */
export const KEY_LENGTH_MAX = 512;

/** Below all that escaped texts hold. */
export const SEPARATOR = '!';

/** What no key may hold, and what an address cannot name: half of a surrogate pair. */
const FORBIDDEN = /[/\\#?\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPED = /[\u0000-#./>?[\\~\u007f-\u009f]/g;
const PLAIN = /^[$-\-0-=@-Z\]-}\u00a0-\ud7ff]*$/;
const CODE = /"0([01][0-9a-f])|~1([89][0-9a-f]|7f)|"[1-4]|\.[01]|>[01]|\[[01]|~0/g;
const UNEXPLAINED = new RegExp(ESCAPED.source);

const CODES: Readonly<Record<string, string>> = {
  ' ': '"1',
  '!': '"2',
  '"': '"3',
  '#': '"4',
  '.': '.0',
  '/': '.1',
  '>': '>0',
  '?': '>1',
  '[': '[0',
  '\\': '[1',
  '~': '~0',
};
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CODES).map(([character, code]) => [code, character]),
);

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const codeOf = (character: string): string =>
  CODES[character] ?? `${character < ' ' ? '"0' : '~1'}${hex(character)}`;

export function escapeKeyText(text: string): string {
  if (PLAIN.test(text)) return text;
  if (LONE_SURROGATE.test(text)) refuseKey('text', 'has half of a surrogate pair', text);
  return text.replace(ESCAPED, codeOf);
}

export function unescapeKeyText(text: string): string {
  if (PLAIN.test(text)) return text;
  // What no code explains was not written by escapeKeyText.
  if (UNEXPLAINED.test(text.replace(CODE, '')))
    refuseKey('text', 'is not escaped as codec.text does; codec.exact takes keys as they are', text);
  return text.replace(CODE, (code, low?: string, high?: string) => {
    const digits = low ?? high;
    return digits === undefined
      ? (CHARACTERS[code] ?? code)
      : String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** The first character that a key may not hold, as U+002F. */
export function forbiddenIn(text: string): string | undefined {
  const [found] = FORBIDDEN.exec(text) ?? [];
  return found === undefined
    ? undefined
    : `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Whether the order of the text among others depends on whether they are compared by UTF-16 code unit or by code point: the two differ
 * between characters beyond U+FFFF and those from U+E000 on.
 */
export const hasUncertainOrder = (text: string): boolean => /[\ud800-\uffff]/.test(text);

/** The text that comes right after all that begin with this one; undefined where that cannot be said. */
export function successorOf(text: string): string | undefined {
  const last = text.charCodeAt(text.length - 1);
  return last < 0xd7ff ? text.slice(0, -1) + String.fromCharCode(last + 1) : undefined;
}
