// Removes from a text for the log what looks like a secret, wherever it came from: a signature in a malformed
// path, a key in the wrong place, the text of an error. The texts are not expected to hold any; this is the last
// check before they are written. It prefers to remove too much.

/** A character of base64, and its end, as they are or escaped in a URL, once or more often. */
const LETTER = '(?:[A-Za-z0-9+/_-]|%(?:25)*2[BF])';
const EQUALS = '(?:=|%(?:25)*3D)';

const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Parameters of URLs, also where a URL was escaped as a whole, and members of connection strings.
  [new RegExp(`(sig${EQUALS})[^&;\\s"'\\\\]+`, 'gi'), '$1…'],
  [/((?:Account|SharedAccess)(?:Key|Signature)=)[^;\s"'\\]+/gi, '$1…'],
  // Headers.
  [/(SharedKey(?:Lite)?(?:\s|\+|%20)+)[^\s"'\\]+/gi, '$1…'],
  [/((?:Bearer|Basic)(?:\s|\+|%20)+)[\w~+/.=%-]{12,}/gi, '$1…'],
  // A JSON Web Token, whole or cut off.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, '…'],
  // Signatures are 32 bytes, keys of accounts 64.
  [new RegExp(`(?<![A-Za-z0-9+])(?:${LETTER}{86}${EQUALS}{2}|${LETTER}{43}${EQUALS})`, 'gi'), '…'],
];

export function withoutSecrets(text: string): string {
  let left = text;
  for (const [pattern, replacement] of SECRETS) left = left.replace(pattern, replacement);
  return left;
}
