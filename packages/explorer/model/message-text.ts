// The text of a queue message: many programs encode it in base64, as old clients did for everyone.

export interface Decoded {
  readonly text: string;
  readonly encoding: 'text' | 'base64';
}

const UNPRINTABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** The text that a base64 stands for; undefined if it is none, or stands for bytes that are not text. */
function fromBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    // Other spellings of the same bytes would not be encoded back to what is stored.
    if (btoa(binary) !== text) return undefined;
    const bytes = Uint8Array.from(binary, unit => unit.charCodeAt(0));
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return UNPRINTABLE.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Words of four letters are base64 too: only what decodes to more than letters and digits is taken for it. */
export function decodeMessage(text: string): Decoded {
  const decoded = fromBase64(text);
  const isLikely = decoded !== undefined && (text.length >= 16 || /[^A-Za-z0-9]/.test(text));
  return isLikely ? { text: decoded, encoding: 'base64' } : { text, encoding: 'text' };
}

export function encodeMessage({ text, encoding }: Decoded): string {
  if (encoding === 'text') return text;
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Indented if it is JSON. */
export function prettyMessage(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

const POISON = /-poison$/;
/** The queue from which messages of a poison queue came, by the convention of Azure Functions. */
export const originOf = (queue: string): string | undefined =>
  POISON.test(queue) ? queue.replace(POISON, '') : undefined;
