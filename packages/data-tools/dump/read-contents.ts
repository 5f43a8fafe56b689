// The queues and containers of a finished dump as input.
import type { Blob } from '../blobs/blob-record.js';
import { type ContentInput, type InputContainer, pagesOfBlobs } from '../contents/input.js';
import { textLines } from '../line/text-lines.js';
import type { Message, QueueContent } from '../queues/queue-account.js';
import { contentPath, type IndexedBlob, parseBlob, parseMessage } from './blob-index.js';
import type { DumpFiles } from './dump-files.js';
import type { DumpedContainer, DumpedFile, DumpedQueue } from './manifest.js';
import type { Dump } from './read-dump.js';

async function* linesOf(dumpFiles: DumpFiles, files: readonly DumpedFile[]): AsyncGenerator<string, void> {
  for (const { path } of files)
    for await (const lines of textLines(dumpFiles.pieces(path))) for (const { text } of lines) yield text;
}

/** The blobs in an index; lines of another form are skipped. */
export async function* blobsIn(dumpFiles: DumpFiles, index: DumpedFile): AsyncGenerator<IndexedBlob, void> {
  for await (const text of linesOf(dumpFiles, [index])) {
    const blob = parseBlob(text);
    if (blob !== undefined) yield blob;
  }
}

function containerOf(dumpFiles: DumpFiles, container: DumpedContainer): InputContainer {
  async function* blobs(): AsyncGenerator<Blob, void> {
    for (const index of container.files)
      for await (const blob of blobsIn(dumpFiles, index))
        yield { ...blob, content: () => dumpFiles.pieces(contentPath(blob.sha256)) };
  }
  const { name, metadata, publicAccess, policies } = container;
  return { name, metadata, publicAccess, policies, pages: () => pagesOfBlobs(blobs()) };
}

function queueOf(
  dumpFiles: DumpFiles,
  { name, metadata, policies, messages, files }: DumpedQueue,
): QueueContent {
  async function* all(): AsyncGenerator<Message, void> {
    for await (const text of linesOf(dumpFiles, files)) {
      const message = parseMessage(text);
      if (message !== undefined) yield message;
    }
  }
  const count = messages ?? 0;
  const read = async () => (messages === null ? null : { count, all: all() });
  return { name, metadata, policies, count: async () => count, read };
}

export const contentsOf = ({ files, manifest }: Dump): ContentInput => ({
  queues: manifest.queues?.map(queue => queueOf(files, queue)),
  containers: manifest.containers?.map(container => containerOf(files, container)),
});
