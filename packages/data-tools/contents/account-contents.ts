// Queues and containers of an account as input. Messages are taken when they are read (taken-queue.ts).
import { BlobAccount, type ListedBlob } from '../blobs/blob-account.js';
import type { Blob, ContainerRecord } from '../blobs/blob-record.js';
import { messageCount, type QueueContent, queuesOf } from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import type { Address, Service } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import type { SpaceRecord } from '../source/space.js';
import { type TableChoice, wantsTables } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';
import type { ContentJournal } from './content-journal.js';
import type { ContentInput, InputContainer, InputPage } from './move-container.js';
import { TakenQueue } from './taken-queue.js';

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

/** @throws ToolError usage */
export function checkTakeMessages({ queues, takeMessages }: ContentChoice): void {
  if (takeMessages && !queues) throw new ToolError('usage', '--take-messages goes with --queues.');
}

/** For a journal: nothing if nothing is asked for. */
export const contentArguments = ({ queues, blobs, takeMessages }: ContentChoice) => ({
  ...(queues && { '--queues': true }),
  ...(blobs && { '--blobs': true }),
  ...(takeMessages && { '--take-messages': true }),
});

function blobOf(account: BlobAccount, container: string, listed: ListedBlob): Blob {
  return {
    ...listed,
    content: () => account.pieces(container, listed),
    again: async () => {
      const now = await account.again(container, listed.name);
      return now && blobOf(account, container, now);
    },
  };
}

function containerOf(account: BlobAccount, container: ContainerRecord): InputContainer {
  async function* pages(): AsyncGenerator<InputPage, void> {
    for await (const { blobs, skipped } of account.pages(container.name))
      yield { blobs: blobs.map(blob => blobOf(account, container.name, blob)), skipped };
  }
  return { ...container, pages };
}

interface AccountQueue {
  readonly endpoint: Endpoint;
  readonly takeMessages: boolean;
  readonly context: ToolContext;
  readonly journal: ContentJournal | undefined;
}

function queueOf(
  queue: SpaceRecord,
  { endpoint, takeMessages, context, journal }: AccountQueue,
): QueueContent {
  const { name } = queue;
  const read: QueueContent['read'] = async () => {
    const taken = new TakenQueue({
      endpoint,
      queue: name,
      earlier: journal?.taken(name) ?? [],
      onStep: step => journal?.append({ queue: name, ...step }),
      context,
    });
    if (!takeMessages) {
      await taken.leave();
      return null;
    }
    await taken.take();
    const { messages } = taken;
    return { count: messages.length, all: messages };
  };
  return { ...queue, count: () => messageCount(endpoint, name), read };
}

/** What is asked for. @throws ToolError */
export async function accountContents(
  source: Address,
  { queues, blobs, takeMessages = false }: ContentChoice,
  context: ToolContext,
  journal: ContentJournal | undefined,
): Promise<ContentInput> {
  const account = blobs ? new BlobAccount(new Endpoint(source, 'blob', context.source)) : undefined;
  const endpoint = queues ? new Endpoint(source, 'queue', context.source) : undefined;
  const found = endpoint && (await queuesOf(endpoint));
  return {
    containers: account && (await account.containers()).map(each => containerOf(account, each)),
    queues: endpoint && found?.map(each => queueOf(each, { endpoint, takeMessages, context, journal })),
  };
}
