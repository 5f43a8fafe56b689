// Messages that announce a write: they are sent before it, so that a worker finishes what follows from the write wherever the program ends, and are taken back if the write was refused. What they say, and
// what a worker does, is others' matter.
import type { CallOptions } from '../../concurrency/abort.js';
import { newUuid, type Surroundings } from '../../concurrency/surroundings.js';
import { PatternError, type PatternErrorCode } from '../../values/pattern-error.js';
import type { Clients } from '../clients.js';
import { type MessageRef, QueueSender } from '../queue-sender.js';
import { checkedText } from './envelope.js';

/** A message about a write that is to come. */
export interface Announcement {
  /** Whose workers take it. */
  readonly flow: string;
  readonly queue: string;
  /** Of the input. */
  readonly version: number;
  /** As JSON has it. */
  readonly input: unknown;
}

/** A message that was sent. */
export interface SentMessage {
  readonly queue: QueueSender;
  readonly message: MessageRef;
}

/** What announcements need of a service. */
interface Announcing {
  readonly clients: Clients;
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

async function send(
  { clients, surroundings, announceAfter }: Announcing,
  { flow, queue: name, version, input }: Announcement,
  options: CallOptions,
): Promise<SentMessage> {
  const text = checkedText({
    flow,
    version,
    id: newUuid(surroundings.random),
    input,
    operationId: undefined,
    deletes: false,
    waits: 0,
    isRedelivery: false,
    poison: undefined,
  });
  const queue = new QueueSender(clients, name);
  return { queue, message: await queue.send(text, announceAfter, options) };
}

/** First the messages, then the write. Throws what sending throws, and then nothing was written. */
export async function announced<T>(
  service: Announcing,
  announcements: readonly Announcement[],
  write: () => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  const sent: SentMessage[] = [];
  for (const each of announcements) sent.push(await send(service, each, options));
  return unlessRefused(sent, write);
}
