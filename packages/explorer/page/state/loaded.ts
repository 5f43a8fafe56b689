// What a view reads: its value, why it cannot be read, and whether it is being read.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { sentenceOf } from '../client/ask.js';

export interface Loaded<Value> {
  /** The last one, also while it is read again or on. */
  readonly value: Value | undefined;
  readonly failure: string | undefined;
  readonly isLoading: boolean;
}

/** What is read on from a value, or from the start without one; `show` has what is read so far shown. */
type Read<Value> = (
  stop: AbortSignal,
  from: () => Value | undefined,
  show: (value: Value) => void,
) => Promise<Value>;

export class Loading<Value> {
  readonly state: Signal<Loaded<Value>> = signal({ value: undefined, failure: undefined, isLoading: true });
  readonly #read: Read<Value>;
  #stop = new AbortController();
  /** What is read on from. */
  #from: Value | undefined;

  constructor(read: Read<Value>) {
    this.#read = read;
  }

  #set(change: Partial<Loaded<Value>>): void {
    this.state.value = { ...this.state.peek(), ...change };
  }

  /** In place of the read under way, whose answer would be older. */
  async #load(from: Value | undefined): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    const stop = this.#stop.signal;
    this.#from = from;
    const show = (value: Value): void => {
      if (stop.aborted) return;
      this.#from = value;
      this.#set({ value });
    };
    const failure = await this.#read(stop, () => this.#from, show).then(show, sentenceOf);
    if (!stop.aborted) this.#set({ value: this.#from, failure: failure ?? undefined, isLoading: false });
  }

  #retry(from: Value | undefined): Promise<void> {
    this.#set({ failure: undefined, isLoading: true });
    return this.#load(from);
  }

  /** Reads from the start. */
  readonly again = (): Promise<void> => this.#retry(undefined);

  /** Reads on. */
  readonly more = (): Promise<void> => this.#retry(this.state.peek().value);

  /** Ends the read under way; more can be read afterwards. */
  readonly stop = (): void => {
    this.#stop.abort();
    this.#set({ isLoading: false });
  };

  /** Changes what was read, also while more is. */
  edit(change: (value: Value) => Value): void {
    const { value } = this.state.peek();
    this.#from = this.#from && change(this.#from);
    this.#set({ value: value && change(value) });
  }

  /** Reads, and with `period` reads on so long after each answer. @returns what ends it. */
  start(period?: number): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const run = async (): Promise<void> => {
      await this.#load(this.state.peek().value);
      if (period !== undefined && !isOver) timer = setTimeout(() => void run(), period);
    };
    void run();
    return () => {
      isOver = true;
      clearTimeout(timer);
      this.stop();
    };
  }
}

/** Reads while the view is shown; other `depends` begin anew. */
export function useLoaded<Value>(
  read: Read<Value>,
  depends: readonly unknown[],
  period?: number,
): Loading<Value> {
  const loading = useMemo(() => new Loading(read), [...depends]);
  useEffect(() => loading.start(period), [loading]);
  return loading;
}
