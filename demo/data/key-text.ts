// Converts text to a valid key: readable, in the order of the texts, and deterministic, but not unique.

const MARKS = /\p{Mark}+/gu;
const NOT_KEY_TEXT = /[^a-z0-9]+/g;
const OUTER_DASHES = /^-+|-+$/g;

/**
 * Lower-case letters, digits and dashes. Keys forbid / \ # ? and control characters (they would break the URL of
 * the entity; protocol: data-model#keys), and text that needs no escaping in a URL is easier to read in a log.
 */
export const keyText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(NOT_KEY_TEXT, '-')
    .replace(OUTER_DASHES, '');
