// The head of a queue, and what is done with it. Peeking changes nothing; every other work takes messages for a short
// time, deals with them one by one, and makes them visible again if it fails or is stopped.
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isAborted, sentenceOf } from '../client/ask.js';
import {
  deleteMessage,
  type Message,
  messageCount,
  peekMessages,
  putMessage,
  releaseMessage,
  type TakenMessage,
  takeMessages,
} from '../client/queue-client.js';

interface QueueState {
  readonly messages: readonly Message[];
  readonly count: number | undefined;
  readonly isLoading: boolean;
  readonly failure: string | undefined;
}

/** Work on many messages, while it goes on. */
export interface Progress {
  readonly title: string;
  readonly done: number;
  readonly total: number;
}

const START: QueueState = { messages: [], count: undefined, isLoading: true, failure: undefined };
/** Long enough for a batch, and short enough that messages of a page that went away soon come back. */
const TAKEN_SECONDS = 30;

export function useMessages(account: string, name: string) {
  const state = useMemo(() => signal(START), []);
  const progress = useMemo(() => signal<Progress | undefined>(undefined), []);
  const stop = useMemo(() => ({ current: new AbortController() }), []);
  const load = async (): Promise<void> => {
    state.value = { ...state.value, isLoading: true, failure: undefined };
    try {
      const [messages, count] = await Promise.all([peekMessages(account, name), messageCount(account, name)]);
      state.value = { messages, count, isLoading: false, failure: undefined };
    } catch (error) {
      if (!isAborted(error)) state.value = { ...state.value, isLoading: false, failure: sentenceOf(error) };
    }
  };
  useEffect(() => {
    void load();
    return () => stop.current.abort();
  }, [account, name]);
  return { state, progress, stop, load };
}

interface Place {
  readonly account: string;
  readonly name: string;
}

/** Takes batches until the queue is empty, `wanted` returns false for all that is left, or it is stopped. */
export async function drain(
  { account, name }: Place,
  signal: AbortSignal,
  onEach: (message: TakenMessage) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const batch = await takeMessages(account, name, TAKEN_SECONDS, signal);
    if (batch.length === 0) return;
    for (const [at, message] of batch.entries()) {
      const goesOn = !signal.aborted && (await onEach(message).catch(() => false));
      if (goesOn) continue;
      await Promise.allSettled(batch.slice(at).map(each => releaseMessage(account, name, each)));
      return;
    }
  }
}

/** Puts the message into the other queue, then deletes it here: after a failure between the two it is in both. */
export async function moveMessage(
  { account, name }: Place,
  message: TakenMessage,
  target: string,
): Promise<void> {
  await putMessage(account, target, message.messageText);
  await deleteMessage(account, name, message);
}

/** Deletes one message that was peeked: takes messages until it comes, and lets the others go again. */
export async function deletePeeked(place: Place, id: string, signal: AbortSignal): Promise<boolean> {
  const { account, name } = place;
  const batch = await takeMessages(account, name, TAKEN_SECONDS, signal);
  const found = batch.find(({ messageId }) => messageId === id);
  const others = batch.filter(message => message !== found);
  await Promise.allSettled(others.map(each => releaseMessage(account, name, each)));
  if (found !== undefined) await deleteMessage(account, name, found);
  return found !== undefined;
}
