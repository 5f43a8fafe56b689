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

/** @param onCut receives what became of work that was not done when its view went away. */
export function useWork(onCut: (work: Work) => void = () => undefined) {
  const [work, setWork] = useState<Work>(START);
  const stop = useRef(new AbortController());
  const isGone = useRef(false);
  const leave = (): void => {
    isGone.current = true;
    stop.current.abort();
  };
  useEffect(() => leave, []);
  const run = async (perform: (running: Running) => Promise<void> | void): Promise<void> => {
    stop.current = new AbortController();
    let now: Work = { ...START, state: 'running' };
    const change = (part: Partial<Work>): void => {
      now = { ...now, ...part };
      setWork(now);
    };
    change({});
    try {
      await perform({ signal: stop.current.signal, change });
      change({ state: 'done' });
    } catch (error) {
      if (isAborted(error)) change({ state: 'stopped' });
      else change({ state: 'failed', failure: sentenceOf(error) });
      if (isGone.current) onCut(now);
    }
  };
  return { work, run, halt: () => stop.current.abort() };
}
