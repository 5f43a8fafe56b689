// Reads the server's counters once a second while the view is shown, and keeps the last five minutes.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Figures, type Point, pointBetween, type Reading, readingOf } from '../../model/live.js';
import { isAborted, send, sentenceOf } from '../client/ask.js';

const PERIOD_MILLISECONDS = 1_000;
const POINTS_MAX = 300;

interface LiveState {
  readonly points: readonly Point[];
  readonly connections: number;
  readonly failure: string | undefined;
}

const START: LiveState = { points: [], connections: 0, failure: undefined };

export function useLive(): LiveState {
  const state = useSignal(START);
  useEffect(() => {
    const stop = new AbortController();
    let before: Reading | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        const response = await send('/live', { signal: stop.signal });
        const reading = readingOf((await response.json()) as Figures, performance.now());
        const point = before && pointBetween(before, reading);
        before = reading;
        const { points } = state.value;
        state.value = {
          points: point === undefined ? points : [...points.slice(1 - POINTS_MAX), point],
          connections: reading.connections,
          failure: undefined,
        };
      } catch (error) {
        if (!isAborted(error)) state.value = { ...state.value, failure: sentenceOf(error) };
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void read(), PERIOD_MILLISECONDS);
    };
    void read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  return state.value;
}
