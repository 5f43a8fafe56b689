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

/** What is read from the start, or on from a value. */
type Read<Value> = (stop: AbortSignal, from: Value | undefined) => Promise<Value>;

export class Loading<Value> {
  readonly state: Signal<Loaded<Value>> = signal({ value: undefined, failure: undefined, isLoading: true });
  readonly #read: Read<Value>;
  readonly #stop = new AbortController();

  constructor(read: Read<Value>) {
    this.#read = read;
  }

  #set(change: Partial<Loaded<Value>>): void {
    if (!this.#stop.signal.aborted) this.state.value = { ...this.state.peek(), ...change };
  }

  async #load(from: Value | undefined): Promise<void> {
    try {
      const value = await this.#read(this.#stop.signal, from);
      this.#set({ value, failure: undefined, isLoading: false });
    } catch (error) {
      this.#set({ value: from, failure: sentenceOf(error), isLoading: false });
    }
  }

  /** Reads from the start. */
  readonly again = (): Promise<void> => this.#retry(undefined);

  /** Reads on. */
  readonly more = (): Promise<void> => this.#retry(this.state.peek().value);

  #retry(from: Value | undefined): Promise<void> {
    this.#set({ failure: undefined, isLoading: true });
    return this.#load(from);
  }

  /** Reads, and with `period` reads on so long after each answer. @returns what ends it. */
  start(period?: number): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      await this.#load(this.state.peek().value);
      if (period !== undefined && !this.#stop.signal.aborted) timer = setTimeout(() => void run(), period);
    };
    void run();
    return () => {
      this.#stop.abort();
      clearTimeout(timer);
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
