// What a tool keeps of a blob apart from its content, and of a container: the same in a dump, in an Azurite folder and
// in an account. Metadata keep the case of their names.
import type { SpaceRecord } from '../source/space.js';

export type Texts = Readonly<Record<string, string>>;

export type BlobType = 'BlockBlob' | 'AppendBlob';

export interface BlobRecord {
  readonly name: string;
  readonly type: BlobType;
  readonly bytes: number;
  /** Content-Type and its like, by the names of `CONTENT_HEADERS`. */
  readonly headers: Texts;
  readonly metadata: Texts;
  readonly tags: Texts;
  /** If it was set explicitly; null for the account's default. */
  readonly tier: string | null;
}

/** With its content, which may be read repeatedly. */
export interface Blob extends BlobRecord {
  /** Of a blob that may be replaced. */
  readonly etag?: string;
  readonly content: () => AsyncIterable<Buffer>;
  /** For a blob that may be replaced during a read: its current state, or undefined if it is gone. */
  readonly again?: () => Promise<Blob | undefined>;
}

/** One that tools leave out. */
export interface SkippedBlob {
  readonly name: string;
  readonly reason: string;
}

export const isSkipped = (blob: Blob | SkippedBlob): blob is SkippedBlob => 'reason' in blob;

export interface ContainerRecord extends SpaceRecord {
  /** `blob`, `container`, or null for none. */
  readonly publicAccess: string | null;
}

/** Headers of the content that a blob keeps, and the header that sets each. */
export const CONTENT_HEADERS: Texts = {
  'content-type': 'x-ms-blob-content-type',
  'content-encoding': 'x-ms-blob-content-encoding',
  'content-language': 'x-ms-blob-content-language',
  'content-disposition': 'x-ms-blob-content-disposition',
  'cache-control': 'x-ms-blob-cache-control',
};

/** In the order of `CONTENT_HEADERS`, without empty ones. */
export const contentHeaders = (told: (name: string) => string | undefined): Texts =>
  Object.fromEntries(
    Object.keys(CONTENT_HEADERS).flatMap(name => {
      const value = told(name);
      return value ? [[name, value]] : [];
    }),
  );

/**
 * A blob's path below its service. Slashes stay, as clients send them, except where a URL would resolve the path's
 * parts as `.` or `..`.
 */
export function blobPath(container: string, name: string): string {
  const encoded = encodeURIComponent(name);
  const isStep = name.split('/').some(part => part === '.' || part === '..');
  return `/${container}/${isStep ? encoded : encoded.replaceAll('%2F', '/')}`;
}

const TOKEN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why metadata or headers cannot be sent; undefined if they can. */
export function unsendable(headers: Texts, metadata: Texts): string | undefined {
  const name = Object.keys(metadata).find(each => !TOKEN.test(each));
  if (name !== undefined) return `${JSON.stringify(name)} is not a metadata name`;
  const text = [...Object.entries(headers), ...Object.entries(metadata)].find(
    ([, value]) => !HEADER_TEXT.test(value),
  );
  return text === undefined ? undefined : `the value of ${text[0]} cannot stand in a header`;
}
