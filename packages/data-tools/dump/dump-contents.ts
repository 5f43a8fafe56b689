// The queues and containers of a dump, if asked for. Each content is a file that gets its name when it is whole; a
// container has an index of them, to which each page is appended.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inOneState } from '../blobs/blob-content.js';
import { accountContents, type ContentChoice, checkTakeMessages } from '../contents/account-contents.js';
import type { ContentJournal } from '../contents/content-journal.js';
import { type BlobPlace, type InputContainer, movedPages } from '../contents/move-container.js';
import type { Messages, QueueContent } from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import { install, makeDirectory, syncFile } from '../run/files.js';
import type { Address } from '../source/address.js';
import { ToolError } from '../source/tool-error.js';
import { FolderFiles, sumOf, writePieces } from './dump-files.js';
import type { DumpedContainer, DumpedQueue, Sum } from './manifest.js';
import {
  CONTAINERS_PATH,
  CONTENTS_PATH,
  contentPath,
  formatBlob,
  formatMessage,
  type IndexedBlob,
  indexPath,
  messagesPath,
  QUEUES_PATH,
} from './read-contents.js';

interface KeptBlob extends IndexedBlob {
  readonly etag?: string | undefined;
}

/** @throws ToolError usage */
export function checkContentChoice(choice: ContentChoice, isDirectory: boolean): void {
  checkTakeMessages(choice);
  const { queues, blobs } = choice;
  if ((queues || blobs) && !isDirectory)
    throw new ToolError('usage', 'A file holds one table: give a directory for --queues and --blobs.');
}

interface Contents {
  readonly queues?: readonly DumpedQueue[];
  readonly containers?: readonly DumpedContainer[];
}

/** For the last event. */
export const contentCounts = ({ queues, containers }: Contents): object => ({
  ...(containers && {
    containers: containers.length,
    blobs: containers.reduce((sum, { blobs }) => sum + blobs, 0),
    skipped: containers.reduce((sum, { skipped }) => sum + skipped, 0),
  }),
  ...(queues && {
    queues: queues.length,
    messages: queues.reduce((sum, { messages }) => sum + (messages ?? 0), 0),
  }),
});

interface ContentDump {
  readonly choice: ContentChoice;
  readonly source: Address;
  readonly directory: string;
  readonly work: string;
  readonly journal: ContentJournal;
  readonly context: ToolContext;
  /** Called with the sum of each file. */
  readonly add: (sum: Sum) => void;
}

/** Reads them into files under their final names. @throws ToolError */
export async function dumpContents(dump: ContentDump): Promise<Contents> {
  const { choice, source, context, journal, directory } = dump;
  const { containers, queues } = await accountContents(source, choice, context, journal);
  // An earlier run may have dumped some that are gone now.
  keepOnly(join(directory, CONTAINERS_PATH), containers);
  keepOnly(join(directory, QUEUES_PATH), queues);
  const contents = new Set<string>();
  const dumped = await each(context, containers, container => dumpContainer(dump, container, contents));
  for (const sha256 of contents) dump.add({ path: contentPath(sha256), sha256 });
  // Of blobs that changed since.
  if (containers !== undefined) removeOthers(join(directory, CONTENTS_PATH), contents);
  const dumpedQueues = await each(context, queues, queue => dumpQueue(dump, queue));
  return { ...(dumpedQueues && { queues: dumpedQueues }), ...(dumped && { containers: dumped }) };
}

/** Removes the folders of all others. */
function keepOnly(folder: string, all: readonly { readonly name: string }[] | undefined): void {
  if (all === undefined || !existsSync(folder)) return;
  const wanted = new Set(all.map(({ name }) => name));
  for (const name of readdirSync(folder))
    if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true });
  syncFile(folder);
}

async function each<T, R>(
  { reporter }: ToolContext,
  items: readonly T[] | undefined,
  work: (item: T) => Promise<R>,
): Promise<readonly R[] | undefined> {
  if (items === undefined) return undefined;
  const results: R[] = [];
  for (const item of items) {
    reporter.range('begins');
    results.push(await work(item));
    reporter.range('done');
  }
  return results;
}

/** Adds the SHA-256 of every content to `contents`. */
async function dumpContainer(
  { directory, work, context, journal, add }: ContentDump,
  container: InputContainer,
  contents: Set<string>,
): Promise<DumpedContainer> {
  const { name, metadata, publicAccess, policies } = container;
  const path = indexPath(name);
  /** While it is incomplete. */
  const index = join(work, `${name}.blobs`);
  await writeFile(index, '');
  let [blobs, bytes, skipped] = [0, 0, 0];
  for await (const page of movedPages(container, blobsIn(directory, work), context, journal)) {
    await appendFile(index, page.kept.map(formatBlob).join(''));
    skipped += page.skipped;
    blobs += page.kept.length;
    for (const kept of page.kept) {
      bytes += kept.bytes;
      contents.add(kept.sha256);
    }
  }
  installIn(directory, path, index);
  const file = { path, rows: blobs, ...(await sumOf(new FolderFiles(directory), path)) };
  add(file);
  return { name, metadata, publicAccess, policies, blobs, bytes, skipped, files: [file] };
}

/** Contents become files of the dump, each when it is whole. */
function blobsIn(directory: string, work: string): BlobPlace<KeptBlob> {
  let files = 0;
  return {
    has({ etag }, kept) {
      const path = join(directory, contentPath(kept.sha256));
      return kept.etag === etag && existsSync(path) && statSync(path).size === kept.bytes;
    },
    put: blob =>
      inOneState(blob, async ({ content, again: _, ...record }) => {
        const path = join(work, `content-${files++}`);
        try {
          const { sha256 } = await writePieces(path, content());
          const target = join(directory, contentPath(sha256));
          mkdirSync(dirname(target), { recursive: true });
          renameSync(path, target);
          return { ...record, sha256 };
        } finally {
          rmSync(path, { force: true });
        }
      }),
  };
}

async function dumpQueue(
  { directory, work, add }: ContentDump,
  { name, metadata, policies, read }: QueueContent,
): Promise<DumpedQueue> {
  const messages = await read();
  if (messages === null) return { name, metadata, policies, messages: null, files: [] };
  const path = messagesPath(name);
  const written = await writePieces(join(work, 'messages'), lines(messages));
  installIn(directory, path, join(work, 'messages'));
  add({ path, sha256: written.sha256 });
  const { count } = messages;
  return { name, metadata, policies, messages: count, files: [{ path, rows: count, ...written }] };
}

/** Gives a complete file its name in the dump. */
function installIn(directory: string, path: string, file: string): void {
  const target = join(directory, path);
  makeDirectory(dirname(target));
  install(file, target);
}

async function* lines({ all }: Messages): AsyncGenerator<string, void> {
  for await (const message of all) yield formatMessage(message);
}

function removeOthers(folder: string, wanted: ReadonlySet<string>): void {
  if (!existsSync(folder)) return;
  for (const part of readdirSync(folder)) {
    const path = join(folder, part);
    const names = readdirSync(path);
    const others = names.filter(name => !wanted.has(name));
    for (const name of others) rmSync(join(path, name));
    if (others.length === names.length) rmSync(path, { recursive: true });
    else syncFile(path);
  }
  syncFile(folder);
}
