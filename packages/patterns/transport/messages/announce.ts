// Messages that announce a write: they are sent before it, so that a worker finishes what follows from the write wherever the program ends, and are taken back if the write was refused. What they say, and
// what a worker does, is others' matter.
import type { CallOptions } from '../../concurrency/abort.js';
import { newUuid, type Surroundings } from '../../concurrency/surroundings.js';
import { PatternError, type PatternErrorCode } from '../../values/pattern-error.js';
import type { Connected } from '../clients.js';
import { type MessageRef, QueueRequests } from '../queue-requests.js';
import { checkedText, type Envelope } from './envelope.js';

/** A message to the workers of a flow. What it leaves out has a default. */
export interface FlowMessage extends Pick<Envelope, 'flow' | 'version' | 'input'> {
  readonly queue: string;
  readonly id?: string | undefined;
  readonly operationId?: string | undefined;
  readonly deletes?: boolean | undefined;
}

/** A message that was sent. */
export interface SentMessage {
  /** Of the flow's run. */
  readonly id: string;
  readonly queue: QueueRequests;
  readonly message: MessageRef;
}

/** What messages need of a service. */
interface Announcing {
  readonly clients: Connected;
  readonly surroundings: Surroundings;
  /** Seconds until workers see a message, in which its write should be done. */
  readonly announceAfter: number;
}

/** After these a write was not done, and will not be. */
const REFUSALS: ReadonlySet<PatternErrorCode> = new Set([
  'NotFound',
  'AlreadyExists',
  'UniqueViolation',
  'Conflict',
  'Contention',
  'BatchFailed',
  'TooManyOperations',
  'TooLarge',
  'KeyInvalid',
  'ValueInvalid',
  'NewerVersion',
  'WrongEntity',
  'DefinitionInvalid',
  'SourceMissing',
  'SourceInUse',
]);

/** Whether a write was refused: it was not done, and will not be. */
export const isRefusal = (thrown: unknown): boolean => PatternError.is(thrown) && REFUSALS.has(thrown.code);

/** That fails, too: the message then waits for the write until its grace period is over. */
async function takeBack({ queue, message }: SentMessage): Promise<void> {
  try {
    await queue.delete(message);
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
  }
}

/** Does the write that these messages announce, and takes them back if it was refused. */
export async function unlessRefused<T>(sent: readonly SentMessage[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (thrown) {
    if (isRefusal(thrown)) await Promise.all(sent.map(takeBack));
    throw thrown;
  }
}

/** Sends a message that workers see after so many seconds. Throws TooLarge and QueueNotFound. */
export async function sendMessage(
  { clients, surroundings }: Omit<Announcing, 'announceAfter'>,
  { queue: name, id = newUuid(surroundings.random), operationId, deletes = false, ...message }: FlowMessage,
  after: number,
  options: CallOptions,
): Promise<SentMessage> {
  const state = { waits: 0, isRedelivery: false, poison: undefined };
  const text = checkedText({ ...message, id, operationId, deletes, ...state });
  const queue = new QueueRequests(clients, name, surroundings.now);
  return { id, queue, message: await queue.send(text, after, options) };
}

/** First the messages, then the write. Throws what sending throws, and then nothing was written. */
export async function announced<T>(
  service: Announcing,
  messages: readonly FlowMessage[],
  write: () => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  const sent: SentMessage[] = [];
  for (const each of messages) sent.push(await sendMessage(service, each, service.announceAfter, options));
  return unlessRefused(sent, write);
}
