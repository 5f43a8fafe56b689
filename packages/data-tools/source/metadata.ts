// Metadata of containers, blobs and queues in the headers of requests and answers.
import type { Answer } from './transport.js';

const METADATA = 'x-ms-meta-';

export const metadataHeaders = (
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA + name, value]));

/** From an answer; the case of names is lost there. */
export const metadataIn = (headers: Answer['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), String(value)]),
  );
