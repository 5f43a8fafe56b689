// Work of a user that takes a while and can be stopped: how far it is, and what failed. It ends when its view goes away.
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted, sentenceOf } from '../client/ask.js';

/** A part that failed, while the others go on. */
export interface Failed {
  readonly what: string;
  readonly reason: string;
}

export interface Work {
  readonly state: 'ready' | 'running' | 'done' | 'stopped' | 'failed';
  readonly done: number;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
  readonly failed: readonly Failed[];
  /** Why it failed as a whole. */
  readonly failure: string | undefined;
}

export interface Running {
  readonly signal: AbortSignal;
  readonly change: (part: Partial<Work>) => void;
}

const START: Work = { state: 'ready', done: 0, total: undefined, failed: [], failure: undefined };

export function useWork() {
  const [work, setWork] = useState<Work>(START);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const change = (part: Partial<Work>): void => setWork(before => ({ ...before, ...part }));
  const run = async (perform: (running: Running) => Promise<void> | void): Promise<void> => {
    stop.current = new AbortController();
    setWork({ ...START, state: 'running' });
    try {
      await perform({ signal: stop.current.signal, change });
      change({ state: 'done' });
    } catch (error) {
      if (isAborted(error)) change({ state: 'stopped' });
      else change({ state: 'failed', failure: sentenceOf(error) });
    }
  };
  return { work, run, halt: () => stop.current.abort() };
}
