// The messages of queues as they pass on the wire: which there are, when each is visible, and the receipt by which that is changed. Time is the stage's, so that a message which is hidden for minutes is
// shown as soon as nothing else can happen. What servers answer of times is rewritten to fit.
import type { PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import type { QueueServiceClient } from '@azure/storage-queue';

interface Message {
  readonly queue: string;
  readonly id: string;
  readonly inserted: number;
  receipt: string;
  /** When it is visible. */
  due: number;
  isVisible: boolean;
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

export class Messages {
  readonly #messages = new Map<string, Message>();
  readonly #deleted = new Set<string>();
  readonly #isDeliveredTwice: boolean;
  readonly #queues: QueueServiceClient;

  /** `isDeliveredTwice`: the first delete of each message is lost on its way. */
  constructor(isDeliveredTwice: boolean, queues: QueueServiceClient) {
    this.#isDeliveredTwice = isDeliveredTwice;
    this.#queues = queues;
  }

  /** Those of flows, and not those that were put aside. */
  get #own(): readonly Message[] {
    return [...this.#messages.values()].filter(({ queue }) => !queue.endsWith('-poison'));
  }

  get count(): number {
    return this.#own.length;
  }

  get isAnyVisible(): boolean {
    return this.#own.some(({ isVisible }) => isVisible);
  }

  /** When the next one is visible. */
  get nextDue(): number {
    return Math.min(...this.#own.filter(({ isVisible }) => !isVisible).map(({ due }) => due));
  }

  /** Whether this delete does not arrive. */
  losesDelete(request: PipelineRequest): boolean {
    const call = queueCallOf(request);
    if (!this.#isDeliveredTwice || request.method !== 'DELETE' || call?.id === undefined) return false;
    if (this.#deleted.has(call.id)) return false;
    this.#deleted.add(call.id);
    return true;
  }

  /** Notes what a request did, and gives its answer the times of the stage. */
  async note(request: PipelineRequest, answer: PipelineResponse, now: number): Promise<void> {
    const call = queueCallOf(request);
    if (call === undefined || answer.status >= 300) return;
    const { queue, id, query } = call;
    const due = now + Number(query.get('visibilitytimeout') ?? 0) * 1_000;
    if (request.method === 'DELETE' && id !== undefined) this.#messages.delete(id);
    else if (request.method === 'POST') this.#add(queue, answer.bodyAsText ?? '', due, now);
    else if (request.method === 'PUT' && id !== undefined)
      this.#hide(id, answer.headers.get('x-ms-popreceipt') ?? '', due, now);
    else if (request.method === 'GET') this.#receive(query.has('peekonly'), answer, due, now);
    if (!query.has('peekonly')) await this.#keepHidden(answer, id);
  }

  /** The stage decides when messages are visible, not the server's clock, which advances while a busy machine delays a case. */
  async #keepHidden(answer: PipelineResponse, updated: string | undefined): Promise<void> {
    const xml = answer.bodyAsText ?? '';
    const named = [...xml.matchAll(/<MessageId>([^<]*)</g)].map(([, id = '']) => id);
    for (const id of updated === undefined ? named : [updated]) {
      const message = this.#messages.get(id);
      if (message === undefined || message.isVisible) continue;
      const { receipt } = message;
      const queue = this.#queues.getQueueClient(message.queue);
      const { popReceipt = '' } = await queue.updateMessage(id, receipt, undefined, HIDDEN_SECONDS);
      message.receipt = popReceipt;
      if (answer.headers.has('x-ms-popreceipt')) answer.headers.set('x-ms-popreceipt', popReceipt);
      answer.bodyAsText = (answer.bodyAsText ?? '').replace(receipt, popReceipt);
    }
  }

  #add(queue: string, xml: string, due: number, now: number): void {
    const id = textIn(xml, 'MessageId');
    const message = { queue, id, inserted: now, receipt: textIn(xml, 'PopReceipt'), due };
    this.#messages.set(id, { ...message, isVisible: due <= now });
  }

  #hide(id: string, receipt: string, due: number, now: number): void {
    const message = this.#messages.get(id);
    if (message === undefined) return;
    message.receipt = receipt;
    message.due = due;
    message.isVisible = due <= now;
  }

  #receive(isPeek: boolean, answer: PipelineResponse, due: number, now: number): void {
    const xml = answer.bodyAsText ?? '';
    answer.headers.set('date', new Date(now).toUTCString());
    answer.bodyAsText = xml.replace(/<QueueMessage>.*?<\/QueueMessage>/gs, each => {
      const id = textIn(each, 'MessageId');
      if (!isPeek) this.#hide(id, textIn(each, 'PopReceipt'), due, now);
      const { inserted = now } = this.#messages.get(id) ?? {};
      const time = new Date(inserted).toUTCString();
      return each.replace(/<InsertionTime>[^<]*</, `<InsertionTime>${time}<`);
    });
  }

  /** Shows messages whose time has come. Their receipts are void then, as if another worker had received each and let it go. */
  async show(now: number): Promise<void> {
    const due = [...this.#messages.values()].filter(each => !each.isVisible && each.due <= now);
    for (const message of due) {
      const queue = this.#queues.getQueueClient(message.queue);
      const { popReceipt = '' } = await queue.updateMessage(message.id, message.receipt, undefined, 0);
      this.#hide(message.id, popReceipt, now, now);
    }
  }
}
