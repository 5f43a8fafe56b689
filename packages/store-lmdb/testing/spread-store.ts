// A store whose calls go in rotation to several processes that have one directory open. Functions stay here: a process
// that has to call one (decide, change, visit, the clock) asks for it in the middle of its work, and blocks until it
// gets the answer. So any test of a store can run on many processes. The other end is spread-process.ts.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { deserialize } from 'node:v8';
import type { Clock } from '#base';
import { inPlace, type Store, StoreError } from '#store';
import { type Ask, type Call, frame, isAsk, isReply, isRow, type Reply } from './spread-message.js';

const SCRIPT = new URL('./spread-process.js', import.meta.url);
const ASKS_FD = 4;
const ANSWERS_FD = 5;

interface Pending {
  readonly args: readonly unknown[];
  /** An error that a callback threw here; the call fails with it. */
  thrown?: { readonly error: unknown };
  readonly settle: (reply: Reply) => void;
}

class Member {
  readonly #child: ChildProcess;
  readonly #answers: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #clock: Clock;
  #unread = Buffer.alloc(0);
  #calls = 0;
  #gone: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#child = fork(SCRIPT, {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', 'pipe'],
    });
    const pipes: readonly unknown[] = this.#child.stdio;
    const [asks, answers] = [pipes[ASKS_FD], pipes[ANSWERS_FD]];
    if (!(asks instanceof Readable && answers instanceof Writable)) throw new Error('There are no pipes.');
    this.#answers = answers;
    asks.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#child.on('message', reply => {
      if (!isReply(reply)) throw new Error('A process of the store answers in riddles.');
      this.#pending.get(reply.id)?.settle(reply);
      this.#pending.delete(reply.id);
    });
    this.#child.on('exit', (code, signal) => {
      const message = `Process ${this.#child.pid} of the store ended with ${signal ?? code}.`;
      this.#gone = new Error(message);
      for (const [id, { settle }] of this.#pending) settle({ id, failure: { code: undefined, message } });
    });
  }

  call(method: string, args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        args,
        settle: reply => {
          if (pending.thrown) reject(pending.thrown.error);
          else if (reply.failure === undefined) resolve(reply.value);
          else if (reply.failure.code === undefined) reject(new Error(reply.failure.message));
          else reject(new StoreError(reply.failure.code, reply.failure.message));
        },
      };
      if (this.#gone) return reject(this.#gone);
      this.#pending.set(id, pending);
      const sent = args.map((each, callback) => (typeof each === 'function' ? { callback } : each));
      const call: Call = { id, method, args: sent };
      this.#child.send(call);
    });
  }

  async end(): Promise<void> {
    if (this.#gone) throw this.#gone;
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#unread.length >= 4 && this.#unread.length >= 4 + this.#unread.readUInt32LE(0)) {
      const end = 4 + this.#unread.readUInt32LE(0);
      const ask: unknown = deserialize(this.#unread.subarray(4, end));
      this.#unread = this.#unread.subarray(end);
      if (!isAsk(ask)) throw new Error('A process of the store asks in riddles.');
      this.#answers.write(frame(this.#answer(ask)));
    }
  }

  #answer({ id, callback, args }: Ask): object {
    if (id === undefined) return { value: this.#clock() };
    const pending = this.#pending.get(id);
    const asked = pending?.args[callback];
    if (pending === undefined || typeof asked !== 'function') throw new Error('That is no function.');
    try {
      return { value: asked(...args.map(each => (isRow(each) ? inPlace(each) : each))) };
    } catch (error) {
      pending.thrown = { error };
      return { thrown: true };
    }
  }
}

/** Processes that can hold one store after another. */
export class Spread {
  readonly #members: readonly Member[];
  #clock: Clock = () => 0n;
  #turn = 0;

  constructor(processes: number) {
    this.#members = Array.from({ length: processes }, () => new Member(() => this.#clock()));
  }

  /**
   * Opens the directory in every process, one after the other or all at once; `options` are the store's, without its
   * clock.
   */
  async open(options: object, internals: object, clock: Clock, isAtOnce: boolean): Promise<Store> {
    this.#clock = clock;
    const [first, ...others] = this.#members.map(member => () => member.call('open', [options, internals]));
    if (!isAtOnce) await first?.();
    await Promise.all((isAtOnce && first ? [first, ...others] : others).map(open => open()));
    return new SpreadStore(this.#members, () => this.#turn++);
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map(member => member.end()));
  }
}

class SpreadStore implements Store {
  readonly createSpace = this.#method('createSpace');
  readonly getSpace = this.#method('getSpace');
  readonly listSpaces = this.#method('listSpaces');
  readonly updateSpace = this.#method('updateSpace');
  readonly dropSpace = this.#method('dropSpace');
  readonly read = this.#method('read');
  readonly scan = this.#method('scan');
  readonly commit = this.#method('commit');
  readonly #members: readonly Member[];
  readonly #nextTurn: () => number;

  constructor(members: readonly Member[], nextTurn: () => number) {
    this.#members = members;
    this.#nextTurn = nextTurn;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(member => member.call('close', [])));
  }

  /** Of the process whose turn it is. */
  #method<M extends keyof Store>(method: M): Store[M] {
    const call = (...args: readonly unknown[]): Promise<unknown> => {
      const member = this.#members[this.#nextTurn() % this.#members.length];
      if (member === undefined) throw new Error('There is no process.');
      return member.call(method, args);
    };
    return call as Store[M];
  }
}
