// Uploads: dropped or chosen files, a few at a time.
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { sentenceOf } from '../client/ask.js';
import { uploadBlob } from '../client/blob-client.js';
import { notify } from '../state/notice.js';

export interface Uploading {
  readonly done: number;
  readonly total: number;
}

const CONCURRENT = 3;

export function useUploads(account: string, container: string, prefix: string, onDone: () => void) {
  const uploading = useMemo(() => signal<Uploading | undefined>(undefined), []);
  const upload = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    const waiting = [...files];
    let [done, failed] = [0, 0];
    uploading.value = { done, total: files.length };
    const work = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const name = `${prefix}${file.webkitRelativePath || file.name}`;
        try {
          await uploadBlob(account, { container, name }, file);
        } catch (error) {
          failed++;
          notify(`${name}: ${sentenceOf(error)}`, 'failed');
        }
        uploading.value = { done: ++done, total: files.length };
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
    uploading.value = undefined;
    const count = done - failed;
    if (count > 0) notify(count === 1 ? `Uploaded ${files[0]?.name}.` : `Uploaded ${count} files.`);
    onDone();
  };
  return { uploading, upload };
}
