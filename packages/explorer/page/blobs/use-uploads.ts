// Uploads: files that are chosen, or dropped over the view, a few at a time.
import { useState } from 'preact/hooks';
import { inParallel } from '#data-tools/write';
import type { Place } from '../client/account.js';
import { isAborted, sentenceOf } from '../client/ask.js';
import { blobOf } from '../client/blob-client.js';
import { textOfWork, type WorkWords } from '../shell/work-view.js';
import { notify } from '../state/notice.js';
import { type Failed, useWork } from '../state/work.js';

const CONCURRENT = 3;
export const UPLOAD_WORDS: WorkWords = { verb: 'Uploaded', unit: ['file', 'files'] };

export function useUploads(container: Place, prefix: string, onDone: () => void) {
  const { work, run, halt } = useWork(cut => notify(textOfWork(cut, UPLOAD_WORDS)));
  const [isOver, setOver] = useState(false);
  const upload = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    if (work.state === 'running')
      return notify('Files are being uploaded: wait for that, or stop it.', 'failed');
    let done = 0;
    const failed: Failed[] = [];
    await run(({ signal: abortSignal, change }) => {
      change({ total: files.length });
      return inParallel(files, CONCURRENT, async file => {
        const name = `${prefix}${file.webkitRelativePath || file.name}`;
        const blobContentType = file.type || 'application/octet-stream';
        try {
          const client = await blobOf({ container, name });
          await client.uploadData(file, { abortSignal, blobHTTPHeaders: { blobContentType } });
          done++;
        } catch (error) {
          if (isAborted(error)) throw error;
          failed.push({ what: name, reason: sentenceOf(error) });
        }
        change({ done, failed: [...failed] });
      });
    });
    onDone();
  };
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (event.currentTarget === event.target) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      void upload([...(event.dataTransfer?.files ?? [])]);
    },
  };
  return { work, halt, upload, isOver, handlers };
}
