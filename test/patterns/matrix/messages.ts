// The messages of queues as they pass on the wire: which there are, when each is visible, and the receipt by which that is changed. Time is the stage's, so that a message which is hidden for minutes is shown as
// soon as nothing else can happen. What servers answer of times is rewritten to fit.
import type { PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import type { QueueServiceClient } from '@azure/storage-queue';

interface Message {
  readonly queue: string;
  readonly inserted: number;
  receipt: string;
  /** When it is visible. */
  due: number;
}

interface QueueCall {
  readonly queue: string;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

/** Longer than any case takes. */
const HIDDEN_SECONDS = 86_400;
const PATH = /^\/[^/]+\/([^/]+)\/messages(?:\/([^/?]+))?$/;

/** Undefined for requests that are none of messages. */
export function queueCallOf({ url }: PipelineRequest): QueueCall | undefined {
  const { pathname, searchParams } = new URL(url);
  const [, queue, id] = PATH.exec(pathname) ?? [];
  return queue === undefined ? undefined : { queue, id, query: searchParams };
}

const textIn = (xml: string, tag: string): string =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1] ?? '';
const dateOf = (time: number): string => new Date(time).toUTCString();

export class Messages {
  now = Date.UTC(2026, 0, 1);
  readonly #messages = new Map<string, Message>();
  readonly #deleted = new Set<string>();
  readonly #isDeliveredTwice: boolean;
  readonly #queues: QueueServiceClient;

  /** `isDeliveredTwice`: the first delete of each message is lost on its way. */
  constructor(isDeliveredTwice: boolean, queues: QueueServiceClient) {
    this.#isDeliveredTwice = isDeliveredTwice;
    this.#queues = queues;
  }

  /** When each is visible, of those that were not put aside. */
  get due(): readonly number[] {
    const own = [...this.#messages.values()].filter(({ queue }) => !queue.endsWith('-poison'));
    return own.map(({ due }) => due);
  }

  /** Whether this delete does not arrive. */
  losesDelete(request: PipelineRequest): boolean {
    const id = queueCallOf(request)?.id;
    if (!this.#isDeliveredTwice || request.method !== 'DELETE' || id === undefined) return false;
    const isFirst = !this.#deleted.has(id);
    this.#deleted.add(id);
    return isFirst;
  }

  /** Notes what a request did, and gives its answer the times of the stage. */
  async note(request: PipelineRequest, answer: PipelineResponse): Promise<void> {
    const call = queueCallOf(request);
    if (call === undefined || answer.status >= 300) return;
    const { queue, id, query } = call;
    const due = this.now + Number(query.get('visibilitytimeout') ?? 0) * 1_000;
    const xml = answer.bodyAsText ?? '';
    if (request.method === 'GET') await this.#receive(answer, query.has('peekonly') ? undefined : due);
    else if (request.method === 'POST') {
      const receipt = textIn(xml, 'PopReceipt');
      this.#messages.set(textIn(xml, 'MessageId'), { queue, inserted: this.now, receipt, due });
      answer.bodyAsText = xml.replace(receipt, await this.#hide(textIn(xml, 'MessageId'), receipt, due));
    } else if (id !== undefined && request.method === 'DELETE') this.#messages.delete(id);
    else if (id !== undefined) {
      const receipt = answer.headers.get('x-ms-popreceipt') ?? '';
      answer.headers.set('x-ms-popreceipt', await this.#hide(id, receipt, due));
    }
  }

  async #receive(answer: PipelineResponse, due: number | undefined): Promise<void> {
    answer.headers.set('date', dateOf(this.now));
    for (const [text] of answer.bodyAsText?.matchAll(/<QueueMessage>.*?<\/QueueMessage>/gs) ?? []) {
      const [id, receipt] = [textIn(text, 'MessageId'), textIn(text, 'PopReceipt')];
      const { inserted = this.now } = this.#messages.get(id) ?? {};
      const own = due === undefined ? text : text.replace(receipt, await this.#hide(id, receipt, due));
      const dated = own.replace(/<InsertionTime>[^<]*</, `<InsertionTime>${dateOf(inserted)}<`);
      answer.bodyAsText = answer.bodyAsText?.replace(text, dated) as string;
    }
  }

  /** Gives the receipt of now. The stage decides when a message is visible, not the server's clock, which advances while a busy machine delays a case. */
  async #hide(id: string, receipt: string, due: number): Promise<string> {
    const message = this.#messages.get(id);
    if (message === undefined) return receipt;
    Object.assign(message, { receipt, due });
    if (due > this.now) await this.#update(id, message, HIDDEN_SECONDS);
    return message.receipt;
  }

  async #update(id: string, message: Message, seconds: number): Promise<void> {
    const queue = this.#queues.getQueueClient(message.queue);
    const { popReceipt = '' } = await queue.updateMessage(id, message.receipt, undefined, seconds);
    message.receipt = popReceipt;
  }

  /** Shows messages whose time has come. Their receipts are void then, as if another worker had received each and let it go. */
  async moveTo(now: number): Promise<void> {
    for (const [id, message] of this.#messages)
      if (message.due > this.now && message.due <= now) await this.#update(id, message, 0);
    this.now = now;
  }
}
