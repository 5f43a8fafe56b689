// Queues and containers in a dump: their files, and a finished dump's as input. A container has an index, a line per
// blob; contents are files next to it, named by their SHA-256, so that equal contents are stored once and every file
// system accepts the name. Folders have hyphens in their names, which no table has.
import type { Blob, BlobRecord } from '../blobs/blob-record.js';
import type { ContentInput, InputContainer } from '../contents/move-container.js';
import { textLines } from '../line/text-lines.js';
import { type Message, type QueueContent, storedQueue } from '../queues/queue-account.js';
import type { DumpFiles } from './dump-files.js';
import type { DumpedContainer, DumpedFile, DumpedQueue } from './manifest.js';
import type { Dump } from './read-dump.js';

export const CONTENTS_PATH = 'blob-contents';
export const CONTAINERS_PATH = 'blob-containers';
export const QUEUES_PATH = 'storage-queues';

export const indexPath = (container: string): string => `${CONTAINERS_PATH}/${container}/blobs.jsonl`;
export const messagesPath = (queue: string): string => `${QUEUES_PATH}/${queue}/messages.jsonl`;

export const contentPath = (sha256: string): string => `${CONTENTS_PATH}/${sha256.slice(0, 2)}/${sha256}`;

/** Names of queues and containers, including `$root` and similar: a path leads nowhere else. */
const NAME = /^(?:\$[a-z]+|[a-z0-9](?:-?[a-z0-9])*)$/;
export const isContentName = (name: string): boolean => name.length <= 63 && NAME.test(name);

export interface IndexedBlob extends BlobRecord {
  readonly sha256: string;
}

/** In one form only. */
export const formatBlob = ({
  name,
  type,
  bytes,
  sha256,
  headers,
  metadata,
  tags,
  tier,
}: IndexedBlob): string =>
  `${JSON.stringify({ name, type, bytes, sha256, headers, metadata, tags, tier })}\n`;

const SHA256 = /^[0-9a-f]{64}$/;

export const formatMessage = ({ text, expires, visible }: Message): string =>
  `${JSON.stringify({ text, expires, visible })}\n`;

/** What a line has; nothing for one of another form. */
function parsed<T>(text: string, format: (value: T) => string): T | [] {
  try {
    const value = JSON.parse(text) as T;
    return format(value) === `${text}\n` ? value : [];
  } catch {
    return [];
  }
}

async function* parsedLines<T>(
  dumpFiles: DumpFiles,
  { path }: DumpedFile,
  format: (value: T) => string,
): AsyncGenerator<T, void> {
  for await (const lines of textLines(dumpFiles.pieces(path)))
    yield* lines.flatMap(({ text }) => parsed(text, format));
}

/** The blobs in an index. */
export async function* blobsIn(dumpFiles: DumpFiles, index: DumpedFile): AsyncGenerator<IndexedBlob, void> {
  for await (const blob of parsedLines(dumpFiles, index, formatBlob))
    if (SHA256.test(blob.sha256)) yield blob;
}

function containerOf(dumpFiles: DumpFiles, container: DumpedContainer): InputContainer {
  async function* blobs(): AsyncGenerator<Blob, void> {
    for (const index of container.files)
      for await (const blob of blobsIn(dumpFiles, index))
        yield { ...blob, content: () => dumpFiles.pieces(contentPath(blob.sha256)) };
  }
  const { name, metadata, publicAccess, policies } = container;
  return { name, metadata, publicAccess, policies, blobs };
}

function queueOf(
  dumpFiles: DumpFiles,
  { name, metadata, policies, messages, files }: DumpedQueue,
): QueueContent {
  async function* all(): AsyncGenerator<Message, void> {
    for (const file of files) yield* parsedLines(dumpFiles, file, formatMessage);
  }
  return storedQueue(
    { name, metadata, policies },
    messages === null ? null : { count: messages, all: { [Symbol.asyncIterator]: all } },
  );
}

export const contentsOf = ({ files, manifest }: Dump): ContentInput => ({
  queues: manifest.queues?.map(queue => queueOf(files, queue)),
  containers: manifest.containers?.map(container => containerOf(files, container)),
});
