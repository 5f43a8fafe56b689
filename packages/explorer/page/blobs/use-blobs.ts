// The folders and blobs below a prefix, page by page.
import type { BlobItem } from '@azure/storage-blob';
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isAborted, sentenceOf } from '../client/ask.js';
import { listBlobs } from '../client/blob-client.js';

interface BlobsState {
  readonly folders: readonly string[];
  readonly blobs: readonly BlobItem[];
  readonly next: string | undefined;
  readonly isLoading: boolean;
  readonly failure: string | undefined;
}

const START: BlobsState = { folders: [], blobs: [], next: undefined, isLoading: true, failure: undefined };

export function useBlobs(account: string, container: string, prefix: string) {
  const state = useMemo(() => signal(START), [prefix]);
  const read = async (marker: string | undefined, stop?: AbortSignal): Promise<void> => {
    const before = marker === undefined ? { folders: [], blobs: [] } : state.value;
    state.value = { ...state.value, isLoading: true, failure: undefined };
    try {
      const page = await listBlobs(account, { container, prefix, marker }, stop);
      state.value = {
        folders: [...before.folders, ...page.folders],
        blobs: [...before.blobs, ...page.blobs],
        next: page.next,
        isLoading: false,
        failure: undefined,
      };
    } catch (error) {
      if (!isAborted(error)) state.value = { ...state.value, isLoading: false, failure: sentenceOf(error) };
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    void read(undefined, stop.signal);
    return () => stop.abort();
  }, [account, container, prefix]);
  return { state, again: () => read(undefined), more: () => read(state.value.next) };
}
