// Percent-encoding of any text. Halves of surrogate pairs have no UTF-8, and go out as U+FFFD.

export const percentEncode = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
