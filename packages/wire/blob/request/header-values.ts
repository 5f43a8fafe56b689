// Values of request headers: dates, numbers, GUIDs, digests, each refused with its name where it is malformed (protocol: blob-requests#headers).
import { parseGuid, parseHttpDate } from '#base';
import { BlobError } from '#blobs';

export type Headers = Readonly<Record<string, string | undefined>>;

const DIGITS = /^\d{1,19}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MD5_BYTES = 16;
const CRC64_BYTES = 8;

export const invalidHeader = (name: string, value: string): BlobError =>
  new BlobError('InvalidHeaderValue', { name, value });

/** An empty header counts as missing. */
export const sent = (headers: Headers, name: string): string | undefined => headers[name] || undefined;

export function required(headers: Headers, name: string): string {
  const value = sent(headers, name);
  if (value === undefined) throw new BlobError('MissingRequiredHeader', { name });
  return value;
}

export function dateOf(headers: Headers, name: string): bigint | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const ticks = parseHttpDate(text);
  if (ticks === undefined) throw invalidHeader(name, text);
  return ticks;
}

export function bigOf(headers: Headers, name: string): bigint | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  if (!DIGITS.test(text) || BigInt(text) > 0x7fff_ffff_ffff_ffffn) throw invalidHeader(name, text);
  return BigInt(text);
}

/** A number that JavaScript holds exactly: no blob is longer. */
export function wholeHeader(headers: Headers, name: string): number | undefined {
  const value = bigOf(headers, name);
  if (value === undefined) return undefined;
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidHeader(name, `${value}`);
  return Number(value);
}

/** In lower case, with dashes. */
export function guidOf(headers: Headers, name: string): string | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const guid = parseGuid(text);
  if (guid === undefined) throw invalidHeader(name, text);
  return guid;
}

export function requiredGuid(headers: Headers, name: string): string {
  required(headers, name);
  return guidOf(headers, name) ?? '';
}

/** `true` or `false`, in any case. */
export function flagOf(headers: Headers, name: string): boolean {
  const text = sent(headers, name)?.toLowerCase();
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw invalidHeader(name, headers[name] ?? '');
  return text === 'true';
}

const isBase64 = (text: string): boolean => BASE64.test(text);

/** A digest that is kept and compared with nothing: of any length (protocol: blob-requests#content-headers). */
export function storedMd5Of(headers: Headers, name: string): Buffer | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  if (!isBase64(text)) throw new BlobError('InvalidMd5');
  return Buffer.from(text, 'base64');
}

export function md5Of(headers: Headers, name: string): Buffer | undefined {
  const bytes = storedMd5Of(headers, name);
  if (bytes !== undefined && bytes.length !== MD5_BYTES) throw new BlobError('InvalidMd5');
  return bytes;
}

export function crc64Of(headers: Headers, name: string): Buffer | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (!isBase64(text) || bytes.length !== CRC64_BYTES) throw invalidHeader(name, text);
  return bytes;
}
