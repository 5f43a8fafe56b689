// Metadata of containers, blobs and queues in the headers of requests and answers.
import type { Answer } from './transport.js';

type Texts = Readonly<Record<string, string>>;

const METADATA = 'x-ms-meta-';

export const metadataHeaders = (metadata: Texts): Texts =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA + name, value]));

/** From an answer; the case of names is lost there. */
export const metadataIn = (headers: Answer['headers']): Texts =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), String(value)]),
  );

/** Whether metadata are the same, ignoring the case of their names. */
export function isSameMetadata(one: Texts, other: Texts): boolean {
  const form = (texts: Texts): string =>
    JSON.stringify(
      Object.entries(texts)
        .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return form(one) === form(other);
}
