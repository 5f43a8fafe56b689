// Queues and containers of one account into another. A mirror replaces existing ones and deletes the blobs that the
// source lacks; queues and containers that it lacks stay, as tables do.
import { BlobAccount } from '../blobs/blob-account.js';
import { blobPath } from '../blobs/blob-record.js';
import { containerInput, queueInput } from '../contents/account-input.js';
import { addCounts, type ContentEntry, type ContentJournal } from '../contents/content-journal.js';
import type { ContentInput } from '../contents/input.js';
import { type TakeEntry, TakenQueue } from '../contents/taken-queue.js';
import { countsTold, endpointsOf, writeContents } from '../contents/write-contents.js';
import { checkTakeMessages } from '../dump/dump-contents.js';
import type { Mode } from '../load/load.js';
import { messageCount, queuesOf } from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import type { Journal } from '../run/journal.js';
import type { Address } from '../source/address.js';
import { Endpoint, failureOf } from '../source/endpoint.js';
import { ToolError } from '../source/tool-error.js';

/** Also what happens to the messages at the source. */
export type ContentCopyEntry = ContentEntry | TakeEntry;

export interface ContentCopyOptions {
  readonly source: Address;
  readonly target: Address;
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
  readonly takeMessages?: boolean | undefined;
  readonly mirror?: boolean | undefined;
}

/** @throws ToolError usage */
export function checkContentCopy(options: ContentCopyOptions): void {
  const { source, target, queues, blobs, takeMessages, mirror } = options;
  checkTakeMessages(options);
  if (takeMessages && mirror)
    throw new ToolError('usage', '--mirror and --take-messages exclude each other: messages have no keys.');
  for (const [service, isWanted, what] of [
    ['queue', queues, 'Queues'],
    ['blob', blobs, 'Containers'],
  ] as const)
    if (isWanted && source.endpoint(service) === target.endpoint(service))
      throw new ToolError('usage', `${what} would be copied onto themselves: both accounts are the same.`);
}

interface ContentCopied {
  readonly conflicts: number;
  readonly refused: number;
  readonly more: object;
}

const isTakeEntry = (entry: ContentCopyEntry): entry is TakeEntry => 'step' in entry;

/** @throws ToolError */
export async function copyContents(
  options: ContentCopyOptions & { readonly mode: Mode },
  context: ToolContext,
  entries: readonly ContentCopyEntry[],
  journal: Pick<Journal<ContentCopyEntry>, 'append'> | undefined,
): Promise<ContentCopied> {
  const { source, target, mirror, mode } = options;
  const account = options.blobs ? new BlobAccount(new Endpoint(source, 'blob', context.source)) : undefined;
  const containers = (await account?.containers())?.map(each => containerInput(account as BlobAccount, each));
  const shared = {
    context,
    mode: mirror ? ('upsert' as const) : mode,
    journal:
      journal &&
      ({
        entries: entries.filter((entry): entry is ContentEntry => !isTakeEntry(entry)),
        append: entry => journal.append(entry),
      } satisfies ContentJournal),
  };
  let deleted = 0;
  const targets = endpointsOf({ containers, queues: options.queues ? [] : undefined }, target, context);
  const onContainer = async (container: string, names: ReadonlySet<string>): Promise<void> => {
    if (targets.blobs !== undefined)
      deleted += await deleteOthers(new BlobAccount(targets.blobs), container, names);
  };
  let counts = await writeContents({ containers }, { ...shared, ...targets, ...(mirror && { onContainer }) });
  const queues = options.queues ? await queuesOf(new Endpoint(source, 'queue', context.source)) : undefined;
  for (const queue of queues ?? []) {
    const { name } = queue;
    const taken = new TakenQueue({
      endpoint: new Endpoint(source, 'queue', context.source),
      queue: name,
      earlier: entries.filter(isTakeEntry).filter(entry => entry.queue === name),
      onStep: step => journal?.append({ queue: name, ...step }),
      context,
    });
    await (options.takeMessages ? taken.take() : taken.leave());
    const input = queueInput(queue, options.takeMessages ? taken : undefined);
    const more = await writeContents({ queues: [input] }, { ...shared, ...targets });
    counts = addCounts(counts, more);
  }
  const told: ContentInput = { containers, queues: queues?.map(queue => queueInput(queue, undefined)) };
  const { conflicts, refused } = counts;
  return {
    conflicts,
    refused,
    more: { ...countsTold(told, counts), ...(mirror && options.blobs && { deletedBlobs: deleted }) },
  };
}

/** Deletes blobs, with their snapshots, that have none of these names; returns how many. */
async function deleteOthers(
  target: BlobAccount,
  container: string,
  names: ReadonlySet<string>,
): Promise<number> {
  let deleted = 0;
  for (let marker: string | undefined = ''; marker !== undefined; ) {
    const { blobs, skipped, next }: Awaited<ReturnType<BlobAccount['page']>> = await target.page(
      container,
      marker,
    );
    const others = new Set([...blobs, ...skipped].map(({ name }) => name).filter(name => !names.has(name)));
    for (const name of others) {
      const { status, value } = await target.endpoint.send({
        method: 'DELETE',
        path: blobPath(container, name),
        headers: { 'x-ms-delete-snapshots': 'include' },
        read: answer => failureOf(target.endpoint, `the deletion of blob ${name} of ${container}`, answer),
      });
      if (status >= 300 && status !== 404) throw value;
      deleted++;
    }
    marker = next;
  }
  return deleted;
}

/** What would be written, a line each. */
export async function tellContents(
  { source, queues, blobs }: ContentCopyOptions,
  context: ToolContext,
  write: (text: string) => Promise<void>,
): Promise<void> {
  if (blobs) {
    const account = new BlobAccount(new Endpoint(source, 'blob', context.source));
    for (const container of await account.containers()) {
      let count = 0;
      for await (const page of containerInput(account, container).pages('')) count += page.blobs.length;
      await write(`${JSON.stringify({ container: container.name, blobs: count })}\n`);
    }
  }
  if (!queues) return;
  const endpoint = new Endpoint(source, 'queue', context.source);
  for (const { name } of await queuesOf(endpoint))
    await write(`${JSON.stringify({ queue: name, messages: await messageCount(endpoint, name) })}\n`);
}
