// An account on a memory store whose clock and ids the test holds, for tests through the package's entry point.
import { outcomeOf, refusalsOf } from '#account/testing';
import { openMemoryStore, type Store } from '#store';
import { execute } from '../execute.js';
import type { Operation } from '../operation.js';
import type { LeasedMessage, Outcome, PutReceipt, SeenMessage } from '../outcome.js';
import { QueueError } from '../queue-error.js';
import type { QueueContext } from '../queue-space.js';

/** 2020-01-01T01:02:00Z. */
export const START = 15_778_405_200_000_000n;
export const SECOND = 10_000_000n;
export const QUEUE = 'jobs';

export interface TestAccount {
  readonly time: { now: bigint };
  readonly store: Store;
  readonly context: QueueContext;
  run(operation: Operation): Promise<Outcome>;
}

/** GUIDs in the order of their making. */
export function countedIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}

/** Without a queue; the clock stands still unless the test moves it. */
export function openAccount(heldSeconds = 0n): TestAccount {
  const time = { now: START };
  const clock = () => time.now;
  const store = openMemoryStore({ clock });
  const deletion = heldSeconds > 0n ? { ticks: heldSeconds * SECOND, clock } : undefined;
  const context = { store, account: 'account1', ids: countedIds(), deletion };
  return { time, store, context, run: runOn(context, time) };
}

export const runOn =
  (context: QueueContext, time: { readonly now: bigint }): TestAccount['run'] =>
  operation =>
    execute(operation, context, () => time.now);

export async function openQueue(): Promise<TestAccount> {
  const account = openAccount();
  await account.run({ kind: 'createQueue', queue: QUEUE, metadata: [] });
  return account;
}

export { outcomeOf };

/** The refusal, which must have the code. */
export const refusalOf = refusalsOf(QueueError);

export async function put(
  { run }: TestAccount,
  text: string,
  visibilitySeconds = 0,
  timeToLive: number | 'never' = 604_800,
): Promise<PutReceipt> {
  const timeToLiveSeconds = timeToLive === 'never' ? undefined : timeToLive;
  const operation = { kind: 'putMessage', queue: QUEUE, text, visibilitySeconds, timeToLiveSeconds } as const;
  return (await outcomeOf('messagePut', run(operation))).message;
}

export async function get(
  { run }: TestAccount,
  count = 32,
  visibilitySeconds = 30,
): Promise<readonly LeasedMessage[]> {
  const operation = { kind: 'getMessages', queue: QUEUE, count, visibilitySeconds } as const;
  return (await outcomeOf('messages', run(operation))).messages;
}

export async function peek({ run }: TestAccount, count = 32): Promise<readonly SeenMessage[]> {
  const running = run({ kind: 'peekMessages', queue: QUEUE, count });
  return (await outcomeOf('messagesPeeked', running)).messages;
}

export const textsOf = (messages: readonly SeenMessage[]): string[] => messages.map(({ text }) => text);

interface Holder {
  readonly id: string;
  readonly receipt: string;
}

export const remove = ({ run }: TestAccount, { id, receipt }: Holder): Promise<Outcome> =>
  run({ kind: 'deleteMessage', queue: QUEUE, id, receipt });

export const update = (
  { run }: TestAccount,
  { id, receipt }: Holder,
  visibilitySeconds: number,
  text?: string,
): Promise<Outcome> => run({ kind: 'updateMessage', queue: QUEUE, id, receipt, visibilitySeconds, text });

export async function countOf({ run }: TestAccount): Promise<number> {
  return (await outcomeOf('queueMetadata', run({ kind: 'getQueueMetadata', queue: QUEUE }))).approximateCount;
}
