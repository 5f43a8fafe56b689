// Queues and containers of an account as input. Messages are taken when they are read (taken-queue.ts).
import { BlobAccount } from '../blobs/blob-account.js';
import { messageCount, type QueueContent, queuesOf } from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import type { Address, Service } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { tellUnread } from '../source/policies.js';
import type { SpaceRecord } from '../source/space.js';
import type { TableChoice } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';
import type { ContentJournal } from './content-journal.js';
import type { ContentInput } from './move-container.js';
import { TakenQueue, type TakeStep } from './taken-queue.js';

export interface ContentChoice {
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
  /** Hides messages, writes them down and returns them. */
  readonly takeMessages?: boolean | undefined;
}

interface WholeChoice extends ContentChoice {
  readonly choice: TableChoice;
}

/** A user who names neither tables nor all of them, but something else, wants only that. */
export const hasTables = ({ choice, queues, blobs }: WholeChoice): boolean =>
  choice.all || choice.names.length > 0 || !(queues || blobs);

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

/** What is asked for. @throws ToolError */
export async function accountContents(
  source: Address,
  { queues, blobs, takeMessages = false }: ContentChoice,
  context: ToolContext,
  journal: ContentJournal | undefined,
): Promise<ContentInput> {
  const account = blobs ? new BlobAccount(new Endpoint(source, 'blob', context.source)) : undefined;
  const endpoint = queues ? new Endpoint(source, 'queue', context.source) : undefined;
  const queueOf = (queue: SpaceRecord, of: Endpoint): QueueContent => {
    const { name } = queue;
    const earlier = journal?.taken(name) ?? [];
    const onStep = (step: TakeStep): void => journal?.append({ queue: name, ...step });
    return {
      ...queue,
      count: () => messageCount(of, name),
      read: async () => {
        const taken = new TakenQueue({ endpoint: of, queue: name, earlier, onStep, context });
        if (takeMessages) await taken.take();
        else await taken.leave();
        return takeMessages ? { count: taken.messages.length, all: taken.messages } : null;
      },
    };
  };
  const containers = await account?.containers();
  const queueRecords = endpoint && (await queuesOf(endpoint));
  if (account && containers) tellUnread(account.endpoint, 'Container', containers, context.reporter);
  if (endpoint && queueRecords) tellUnread(endpoint, 'Queue', queueRecords, context.reporter);
  return {
    containers: account && containers?.map(each => ({ ...each, blobs: () => account.blobs(each.name) })),
    queues: endpoint && queueRecords?.map(each => queueOf(each, endpoint)),
  };
}
