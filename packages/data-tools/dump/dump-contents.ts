// The queues and containers of a dump, if asked for.
import type { ToolContext } from '../run/context.js';
import type { Journal } from '../run/journal.js';
import type { Address, Service } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { type TableChoice, wantsTables } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';
import { BlobDump } from './dump-blobs.js';
import type { DumpEntry, DumpState } from './dump-journal.js';
import { QueueDump } from './dump-queues.js';
import type { DumpedContainer, DumpedQueue, Manifest, Sum } from './manifest.js';

export interface ContentChoice {
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
  /** Hides messages, writes them down and returns them. */
  readonly takeMessages?: boolean | undefined;
}

interface WholeChoice extends ContentChoice {
  readonly choice: TableChoice;
}

export const hasTables = ({ choice, queues, blobs }: WholeChoice): boolean =>
  wantsTables(choice, (queues || blobs) ?? false);

/** The service whose endpoint names the account. */
export const serviceNamed = (choice: WholeChoice): Service =>
  hasTables(choice) ? 'table' : choice.blobs ? 'blob' : 'queue';

/** For a dump and for a copy. @throws ToolError usage */
export function checkTakeMessages({ queues, takeMessages }: ContentChoice): void {
  if (takeMessages && !queues) throw new ToolError('usage', '--take-messages goes with --queues.');
}

/** @throws ToolError usage */
export function checkContentChoice(choice: ContentChoice, isDirectory: boolean): void {
  checkTakeMessages(choice);
  const { queues, blobs } = choice;
  if ((queues || blobs) && !isDirectory)
    throw new ToolError('usage', 'A file holds one table: give a directory for --queues and --blobs.');
}

/** For a journal: nothing if nothing is asked for. */
export const contentArguments = ({ queues, blobs, takeMessages }: ContentChoice) => ({
  ...(queues && { '--queues': true }),
  ...(blobs && { '--blobs': true }),
  ...(takeMessages && { '--take-messages': true }),
});

export interface Contents {
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

/** Options in which a finished dump differs from the request. */
export function changedChoice(
  { queues, blobs, takeMessages }: ContentChoice,
  manifest: Manifest,
): readonly string[] {
  const has = (one: unknown): boolean => one !== undefined;
  const took = manifest.queues?.some(({ messages }) => messages !== null);
  return [
    ...(has(manifest.queues) === (queues ?? false) ? [] : ['--queues']),
    ...(has(manifest.containers) === (blobs ?? false) ? [] : ['--blobs']),
    ...(took === undefined || manifest.queues?.length === 0 || took === (takeMessages ?? false)
      ? []
      : ['--take-messages']),
  ];
}

interface ContentDumpOptions {
  readonly choice: ContentChoice;
  readonly source: Address;
  readonly directory: string;
  readonly work: string;
  readonly state: DumpState;
  readonly journal: Journal<DumpEntry>;
  readonly context: ToolContext;
}

/** Reads them, and gives their files their names. @throws ToolError */
export async function dumpContents(options: ContentDumpOptions, add: (sum: Sum) => void): Promise<Contents> {
  const { choice, source, state, context, directory, work, journal } = options;
  const parts = { context, directory, work, journal };
  const blobs = choice.blobs
    ? new BlobDump({
        ...parts,
        endpoint: new Endpoint(source, 'blob', context.source),
        entries: state.blobEntries,
      })
    : undefined;
  const queues = choice.queues
    ? new QueueDump({
        ...parts,
        endpoint: new Endpoint(source, 'queue', context.source),
        entries: state.queueEntries,
        takesMessages: choice.takeMessages ?? false,
      })
    : undefined;
  await blobs?.read();
  await queues?.read();
  return {
    ...(queues && { queues: await queues.finish(add) }),
    ...(blobs && { containers: await blobs.finish(add) }),
  };
}
