// A queue that one client creates, fills, clears and deletes again and again. It never gets messages: clearing and
// deleting remove all of them atomically.
import type { QueueCall } from '../../queues/call.js';
import { Connection } from '../../support/worker-processes.js';
import type { Changes, Found, Image } from '../history.js';
import type { Journal } from '../journal.js';
import { LoneClient } from '../lone-client.js';
import { answerOf, rawQueueRequest } from './ledger.js';

/** The maximum of a peek. */
const MESSAGES_MAX = 32;
/** Every so often it is not cleared but deleted. */
const CLEARS_A_DELETE = 3;
const IMAGE: Image = { text: 'a queue', tick: 0n };

const pathOf = (queue: string, text: string): string => `queue ${queue}/${text}`;
const queuePath = (queue: string): string => `queue ${queue}`;

/** As a history names what is there. */
export function foundInQueue(queue: string, texts: readonly string[]): Found {
  const messages = texts.map(text => [pathOf(queue, text), { text, tick: 0n }] as const);
  return new Map([[queuePath(queue), { text: IMAGE.text, tick: 0n }], ...messages]);
}

/** All of its messages are visible, and all fit into one answer. */
export async function foundByPeek(port: number, queue: string): Promise<Found> {
  const connection = new Connection(port);
  const call = { kind: 'peek', queue, count: MESSAGES_MAX } as const;
  const { code, messages } = answerOf(call, await connection.request(rawQueueRequest(call)));
  connection.close();
  if (code !== undefined) return new Map();
  return foundInQueue(
    queue,
    messages.map(({ text }) => text ?? ''),
  );
}

export class QueueLife extends LoneClient {
  #count = 0;
  #clears = 0;
  readonly #queue: string;

  constructor(queue: string) {
    super(queuePath(queue));
    this.#queue = queue;
  }

  protected async step(connection: Connection, journal: Journal): Promise<void> {
    const queue = this.#queue;
    const path = queuePath(queue);
    const state = this.history.state();
    if (!state.has(path))
      return this.#ask(connection, journal, { kind: 'createQueue', queue }, new Map([[path, IMAGE]]));
    if (state.size <= MESSAGES_MAX) return this.#put(connection, journal);
    this.#clears += 1;
    const kind = this.#clears % CLEARS_A_DELETE === 0 ? 'deleteQueue' : 'clear';
    const paths = [...state.keys()].filter(each => kind === 'deleteQueue' || each !== path);
    const changes = new Map(paths.map(each => [each, undefined]));
    return this.#ask(connection, journal, { kind, queue }, changes);
  }

  #put(connection: Connection, journal: Journal): Promise<void> {
    this.#count += 1;
    const text = `m${this.#count}`;
    const call = { kind: 'put', queue: this.#queue, text, delay: 0, life: undefined } as const;
    return this.#ask(connection, journal, call, new Map([[pathOf(this.#queue, text), { text, tick: 0n }]]));
  }

  async #ask(connection: Connection, journal: Journal, call: QueueCall, changes: Changes): Promise<void> {
    const what = `${this.history.owner} ${call.kind} to ${this.#count}`;
    this.history.ask(changes, journal.note(`? ${what}`));
    const reply = await connection.request(rawQueueRequest(call));
    const position = journal.note(`! ${what} ${reply.status}`);
    try {
      if (answerOf(call, reply).code !== undefined) throw new Error('It was refused.');
      this.history.acknowledge(new Map(), position);
    } catch (error) {
      this.faults.push(`${what}: ${error} ${reply.status} ${reply.body}`);
    }
  }
}
