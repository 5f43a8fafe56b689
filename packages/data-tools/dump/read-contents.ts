// The queues and containers of a finished dump as input.
import type { Blob } from '../blobs/blob-record.js';
import type { ContentInput, InputContainer, InputPage } from '../contents/input.js';
import type { QueueContent } from '../queues/queue-record.js';
import { contentPath, parseBlob, parseMessage } from './blob-index.js';
import type { DumpFiles } from './dump-files.js';
import type { DumpedContainer, DumpedQueue } from './manifest.js';
import type { Dump } from './read-dump.js';
import { linesOf } from './verify-contents.js';

/** Blobs per page: what a journal records together. */
const PAGE_BLOBS = 200;

function containerOf(dumpFiles: DumpFiles, { files, ...container }: DumpedContainer): InputContainer {
  async function* pages(from: string): AsyncGenerator<InputPage, void> {
    let place = 0;
    let blobs: Blob[] = [];
    for (const { path } of files)
      for await (const text of linesOf(dumpFiles, path)) {
        const blob = parseBlob(text);
        if (blob === undefined || place++ < Number(from)) continue;
        const content = (): AsyncIterable<Buffer> => dumpFiles.pieces(contentPath(blob.sha256));
        blobs.push({ ...blob, content });
        if (blobs.length < PAGE_BLOBS) continue;
        yield { blobs, skipped: [], next: String(place) };
        blobs = [];
      }
    yield { blobs, skipped: [], next: undefined };
  }
  const { name, metadata, publicAccess, policies, blobs: count } = container;
  return { name, metadata, publicAccess, policies, count, pages };
}

function queueOf(
  dumpFiles: DumpFiles,
  { name, metadata, policies, messages, files }: DumpedQueue,
): QueueContent {
  async function* all() {
    for (const { path } of files)
      for await (const text of linesOf(dumpFiles, path)) {
        const message = parseMessage(text);
        if (message !== undefined) yield message;
      }
  }
  return { name, metadata, policies, count: messages ?? 0, messages: messages === null ? null : all };
}

export const contentsOf = ({ files, manifest }: Dump): ContentInput => ({
  queues: manifest.queues?.map(queue => queueOf(files, queue)),
  containers: manifest.containers?.map(container => containerOf(files, container)),
});
