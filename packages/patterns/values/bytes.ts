// Bytes as text, and text as bytes: base64, hexadecimal and UTF-8, by what browsers have as well as Node. No other file converts them.

/** Arguments of a call at most: engines bound them. */
const CHUNK = 8_192;

const ENCODER = /* @__PURE__ */ new TextEncoder();
const DECODER = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const toUtf8 = (text: string): Uint8Array => ENCODER.encode(text);

/** Throws TypeError for bytes that are no UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => DECODER.decode(bytes);

/** How many bytes the text has as UTF-8; half of a surrogate pair counts as what replaces it. */
export const utf8Length = (text: string): number => toUtf8(text).length;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Undefined for what is not base64. */
export function fromBase64(base64: string): Uint8Array | undefined {
  let text: string;
  try {
    text = atob(base64);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** As base64 for addresses: without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Undefined for what is not base64 for addresses. */
export const fromBase64Url = (text: string): Uint8Array | undefined =>
  /^[\w-]*$/.test(text) ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined;

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Of an even number of hexadecimal digits. */
export const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Below, at or above 0, as the first byte that differs says, or the length. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
