// Uploads: dropped or chosen files, a few at a time.
import type { Place } from '../client/account.js';
import { sentenceOf } from '../client/ask.js';
import { blobOf } from '../client/blob-client.js';
import { inParallel } from '../client/parallel.js';
import { notify } from '../state/notice.js';
import { useWork } from '../state/work.js';

const CONCURRENT = 3;

export function useUploads(container: Place, prefix: string, onDone: () => void) {
  const { work, run } = useWork();
  const upload = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    let [done, failed] = [0, 0];
    await run(files.length, ({ change }) =>
      inParallel(files, CONCURRENT, async file => {
        const name = `${prefix}${file.webkitRelativePath || file.name}`;
        const blobContentType = file.type || 'application/octet-stream';
        try {
          const client = await blobOf({ container, name });
          await client.uploadData(file, { blobHTTPHeaders: { blobContentType } });
        } catch (error) {
          failed++;
          notify(`${name}: ${sentenceOf(error)}`, 'failed');
        }
        change({ done: ++done });
      }),
    );
    const count = done - failed;
    if (count > 0) notify(count === 1 ? `Uploaded ${files[0]?.name}.` : `Uploaded ${count} files.`);
    onDone();
  };
  return { work, upload };
}
