// Azurite with all three services on one folder, for tests that read the folder when it has stopped.
import { setTimeout } from 'node:timers/promises';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from 'shelfmark';
import { startAllOfAzurite } from '../../../bench/subjects/azurite.js';

/** Azurite's Table service writes its file every five seconds, without reporting it, and not on SIGTERM. The remaining time is for a machine that is busy or stands still. */
const SAVED_MILLISECONDS = 20_000;

/** Runs the work while Azurite serves the folder, and stops it when its files are written. */
export async function withAzurite<T>(
  folder: string,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const [name, key] = [WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY];
  const account = { name, setting: `${name}:${key}`, signature: '' };
  const azurite = await startAllOfAzurite(folder, account);
  const [blobs, queues, tables] = azurite.ports.map(port => `http://127.0.0.1:${port}/${name}`);
  try {
    const result = await work(
      `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${tables};QueueEndpoint=${queues};BlobEndpoint=${blobs};`,
    );
    await setTimeout(SAVED_MILLISECONDS);
    return result;
  } finally {
    await azurite.stop();
  }
}
