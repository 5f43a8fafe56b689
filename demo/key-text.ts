// Text made fit for a key. Readable, sorted as the text is, and the same for the same text; not unique by itself.

const MARKS = /\p{Mark}+/gu;
const NOT_KEY_TEXT = /[^a-z0-9]+/g;
const OUTER_DASHES = /^-+|-+$/g;

/**
 * Lower-case letters, digits and dashes. Keys may not hold / \ # ? or control characters (they would break the URL of
 * the entity; protocol: data-model#keys), and what needs no escaping in a URL is easier to read in a log.
 */
export const keyText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(NOT_KEY_TEXT, '-')
    .replace(OUTER_DASHES, '');
