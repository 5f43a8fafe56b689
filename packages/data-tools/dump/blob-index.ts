// The positions of blobs and messages in a dump. A container has an index, a line per blob; contents are files next to
// it, named by their SHA-256, so that equal contents are stored once and every file system accepts the name. Folders
// have hyphens in their names, which no table has.
import type { BlobRecord } from '../blobs/blob-record.js';
import type { Message } from '../queues/queue-account.js';

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

/** Undefined for a line of another form. */
export function parseBlob(text: string): IndexedBlob | undefined {
  try {
    const blob = JSON.parse(text) as IndexedBlob;
    return formatBlob(blob) === `${text}\n` && SHA256.test(blob.sha256) ? blob : undefined;
  } catch {
    return undefined;
  }
}

export const formatMessage = ({ text, expires, visible }: Message): string =>
  `${JSON.stringify({ text, expires, visible })}\n`;

export function parseMessage(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as Message;
    return formatMessage(message) === `${line}\n` ? message : undefined;
  } catch {
    return undefined;
  }
}
