// Compares a queue with a plain array: runs each step on the real queue and checks that the array permits the answer.
//
// The store's ticks decide visibility and expiry. Ticks are never before the clock, and advance on their own while the clock lags
// them. The model keeps bounds: `low`, which every operation has reached, and `high`, which none exceeds. Only times
// between the two are uncertain; while the clock goes forward these are few.
import assert from 'node:assert/strict';
import {
  execute,
  type LeasedMessage,
  type Operation,
  type Outcome,
  type QueueContext,
  QueueError,
  type SeenMessage,
  Sweep,
} from '#queues';

export const SECOND = 10_000_000n;
const MILLISECOND = 10_000n;
/** More ticks than one step can take while the clock stands. */
const TICKS_A_STEP = 100n;

export type Step =
  | { readonly kind: 'put'; readonly delay: number; readonly life: number | undefined }
  | { readonly kind: 'get'; readonly count: number; readonly seconds: number }
  | { readonly kind: 'peek'; readonly count: number }
  | { readonly kind: 'update'; readonly pick: number; readonly seconds: number; readonly hasText: boolean }
  | { readonly kind: 'delete'; readonly pick: number }
  /** With a receipt that was good once. */
  | { readonly kind: 'deleteStale'; readonly pick: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'clock'; readonly seconds: number };

interface ModelMessage {
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  text: string;
  visible: bigint;
  dequeueCount: number;
  receipt: string;
}

interface Stale {
  readonly id: string;
  readonly receipt: string;
}

const isBefore = (a: ModelMessage, b: ModelMessage): boolean =>
  a.visible < b.visible || (a.visible === b.visible && a.inserted < b.inserted);

export class QueueModel {
  readonly #context: QueueContext;
  readonly #time: { now: bigint };
  readonly #queue: string;
  /** Put and not deleted; those that expired are dropped once nothing can show them. */
  #messages: ModelMessage[] = [];
  readonly #stale: Stale[] = [];
  #low: bigint;
  #high: bigint;
  #texts = 0;

  /** `time` is the store's clock. */
  constructor(context: QueueContext, time: { now: bigint }, queue: string) {
    this.#context = context;
    this.#time = time;
    this.#queue = queue;
    this.#low = time.now;
    this.#high = time.now;
  }

  async open(): Promise<void> {
    await this.#run({ kind: 'createQueue', queue: this.#queue, metadata: [] });
  }

  async take(step: Step): Promise<void> {
    this.#pass(MILLISECOND);
    switch (step.kind) {
      case 'put':
        await this.#put(step.delay, step.life);
        break;
      case 'get':
        this.#got(await this.#get(step.count, step.seconds), step.count, step.seconds);
        break;
      case 'peek':
        await this.#peek(step.count);
        break;
      case 'update':
        await this.#update(step);
        break;
      case 'delete':
        await this.#delete(this.#picked(step.pick));
        break;
      case 'deleteStale':
        await this.#deleteStale(this.#stale[step.pick % this.#stale.length]);
        break;
      case 'clear':
        await this.#clear();
        break;
      case 'sweep':
        await this.#sweep();
        break;
      case 'clock':
        this.#pass(BigInt(step.seconds) * SECOND);
        break;
    }
    await this.#checkCount();
  }

  /** Everything that is left comes out once the clock is past every time at which it may be hidden. */
  async drain(): Promise<void> {
    this.#pass(this.#high - this.#time.now + 2n * 3600n * SECOND);
    const left = new Set(this.#messages.filter(({ expires }) => expires > this.#high).map(({ id }) => id));
    for (;;) {
      this.#pass(MILLISECOND);
      const got = await this.#get(32, 3600);
      if (got.length === 0) break;
      this.#got(got, 32, 3600);
      for (const { id, receipt } of got) {
        left.delete(id);
        await this.#run({ kind: 'deleteMessage', queue: this.#queue, id, receipt });
        this.#forget(id);
      }
    }
    assert.deepEqual([...left], [], 'messages were lost');
    await this.#sweep();
    assert.equal(await this.#count(), 0);
  }

  #pass(ticks: bigint): void {
    this.#time.now += ticks;
    const { now } = this.#time;
    // What has once been visible may be out of sight again when the clock is set back, until the next put.
    this.#low = now;
    for (const { inserted } of this.#messages) if (inserted > this.#low) this.#low = inserted;
    this.#high = (now > this.#high ? now : this.#high) + TICKS_A_STEP;
  }

  #run(operation: Operation): Promise<Outcome> {
    return execute(operation, this.#context, () => this.#time.now);
  }

  async #codeOf(operation: Operation): Promise<string> {
    try {
      return (await this.#run(operation)).kind;
    } catch (error) {
      if (error instanceof QueueError) return error.code;
      throw error;
    }
  }

  #picked(pick: number): ModelMessage | undefined {
    return this.#messages[pick % this.#messages.length];
  }

  #forget(id: string): void {
    this.#messages = this.#messages.filter(message => message.id !== id);
  }

  #checkTick(tick: bigint): void {
    assert.ok(tick >= this.#time.now && tick <= this.#high, `${tick} is not about now`);
  }

  async #put(delay: number, life: number | undefined): Promise<void> {
    this.#texts += 1;
    const text = `text ${this.#texts}`;
    const times = { visibilitySeconds: delay, timeToLiveSeconds: life };
    const outcome = await this.#run({ kind: 'putMessage', queue: this.#queue, text, ...times });
    assert.ok(outcome.kind === 'messagePut');
    const { message } = outcome;
    this.#checkTick(message.inserted);
    assert.equal(message.visible, message.inserted + BigInt(delay) * SECOND);
    if (life !== undefined) assert.equal(message.expires, message.inserted + BigInt(life) * SECOND);
    this.#messages.push({ ...message, text, dequeueCount: 0 });
  }

  async #get(count: number, visibilitySeconds: number): Promise<readonly LeasedMessage[]> {
    const outcome = await this.#run({ kind: 'getMessages', queue: this.#queue, count, visibilitySeconds });
    assert.ok(outcome.kind === 'messages');
    return outcome.messages;
  }

  #got(messages: readonly LeasedMessage[], count: number, seconds: number): void {
    const found = this.#checkShown(messages, count, 1);
    for (const [index, message] of found.entries()) {
      const { visible, receipt, dequeueCount } = messages[index] as LeasedMessage;
      this.#checkTick(visible - BigInt(seconds) * SECOND);
      this.#stale.push({ id: message.id, receipt: message.receipt });
      message.visible = visible;
      message.receipt = receipt;
      message.dequeueCount = dequeueCount;
    }
  }

  async #peek(count: number): Promise<void> {
    const outcome = await this.#run({ kind: 'peekMessages', queue: this.#queue, count });
    assert.ok(outcome.kind === 'messagesPeeked');
    this.#checkShown(outcome.messages, count, 0);
  }

  /** Only what may be seen, all that has to be seen, in order; as it was put, and got `more` times. */
  #checkShown(shown: readonly SeenMessage[], count: number, more: number): ModelMessage[] {
    assert.ok(shown.length <= count, `${shown.length} are shown, ${count} were asked for`);
    const found = shown.map(({ id, inserted, expires, text, dequeueCount }) => {
      const message = this.#messages.find(candidate => candidate.id === id);
      assert.ok(message, `'${text}' is not there any more`);
      assert.deepEqual([inserted, expires, text], [message.inserted, message.expires, message.text]);
      assert.equal(dequeueCount, message.dequeueCount + more);
      assert.ok(message.visible <= this.#high, `'${text}' is invisible`);
      assert.ok(message.expires > this.#low, `'${text}' is expired`);
      return message;
    });
    for (const [index, message] of found.slice(1).entries())
      assert.ok(isBefore(found[index] as ModelMessage, message), 'out of order');
    const last = found.at(-1);
    for (const message of this.#messages) {
      const mustBeSeen = message.visible <= this.#low && message.expires > this.#high;
      if (!mustBeSeen || found.includes(message)) continue;
      const isBehind = found.length === count && last !== undefined && isBefore(last, message);
      assert.ok(isBehind, `'${message.text}' is missing`);
    }
    return found;
  }

  async #update(step: Extract<Step, { kind: 'update' }>): Promise<void> {
    const message = this.#picked(step.pick);
    if (!message) return;
    const { id, receipt, expires } = message;
    const text = step.hasText ? `${message.text}!` : undefined;
    const time = { visibilitySeconds: step.seconds };
    const ticks = BigInt(step.seconds) * SECOND;
    const operation = { kind: 'updateMessage', queue: this.#queue, id, receipt, text, ...time } as const;
    let outcome: Outcome;
    try {
      outcome = await this.#run(operation);
    } catch (error) {
      assert.ok(error instanceof QueueError, String(error));
      if (error.code === 'MessageNotFound')
        assert.ok(expires <= this.#high, 'a message that lives was not found');
      else {
        assert.equal(error.code, 'OutOfRangeQueryParameterValue');
        assert.ok(this.#high + ticks > expires);
      }
      return;
    }
    assert.ok(outcome.kind === 'messageUpdated');
    this.#checkTick(outcome.visible - ticks);
    assert.ok(outcome.visible <= expires);
    this.#stale.push({ id, receipt });
    message.receipt = outcome.receipt;
    message.visible = outcome.visible;
    if (text !== undefined) message.text = text;
  }

  async #delete(message: ModelMessage | undefined): Promise<void> {
    if (!message) return;
    const { id, receipt, expires } = message;
    const code = await this.#codeOf({ kind: 'deleteMessage', queue: this.#queue, id, receipt });
    if (code === 'messageDeleted') {
      assert.ok(expires > this.#low, 'a message that had expired was deleted');
      this.#stale.push({ id, receipt });
      this.#forget(id);
      return;
    }
    // It is counted until it is reclaimed.
    assert.equal(code, 'MessageNotFound');
    assert.ok(expires <= this.#high, 'a message that lives was not found');
  }

  async #deleteStale(stale: Stale | undefined): Promise<void> {
    if (!stale) return;
    const message = this.#messages.find(({ id }) => id === stale.id);
    const code = await this.#codeOf({ kind: 'deleteMessage', queue: this.#queue, ...stale });
    if (!message || message.expires <= this.#low) assert.equal(code, 'MessageNotFound');
    else if (message.expires > this.#high) assert.equal(code, 'PopReceiptMismatch');
  }

  async #clear(): Promise<void> {
    assert.equal((await this.#run({ kind: 'clearMessages', queue: this.#queue })).kind, 'messagesCleared');
    for (const { id, receipt } of this.#messages) this.#stale.push({ id, receipt });
    this.#messages = [];
  }

  async #sweep(): Promise<void> {
    const { store, account } = this.#context;
    const sweep = new Sweep({ store, clock: () => this.#time.now, accounts: () => [account] });
    while (!(await sweep.step()).isPassOver);
    const [count, living] = [
      await this.#count(),
      this.#messages.filter(({ expires }) => expires > this.#time.now).length,
    ];
    assert.ok(count <= living, `${count} are counted behind a sweep, ${living} live`);
  }

  async #count(): Promise<number> {
    const outcome = await this.#run({ kind: 'getQueueMetadata', queue: this.#queue });
    assert.ok(outcome.kind === 'queueMetadata');
    return outcome.approximateCount;
  }

  async #checkCount(): Promise<void> {
    const count = await this.#count();
    const living = this.#messages.filter(({ expires }) => expires > this.#high).length;
    assert.ok(count >= living && count <= this.#messages.length, `${count} are counted, ${living} live`);
  }
}
