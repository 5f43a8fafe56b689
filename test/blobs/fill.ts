// Fills containers by the domain's own operations, in process and without a server: a million blobs over a socket would take minutes.
import { SMALL_BODY, smallName } from '../../bench/blobs/blob-requests.js';
import { systemClock } from '../../packages/base/index.js';
import { execute, NO_CONDITIONS, NO_PROPERTIES, type PutBlockBlob } from '../../packages/blobs/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import { logName } from './blob-names.js';
import { contextOn } from './blob-operation.js';

export interface Filling {
  /** The store's directory; no server has it open. */
  readonly directory: string;
  readonly account: string;
  readonly containers: readonly {
    readonly name: string;
    readonly count: number;
    /** `rows`: names for point gets, of 1 KB. `logs`: names for lists, of a byte. */
    readonly naming: 'rows' | 'logs';
  }[];
}

const IN_FLIGHT = 512;
const TINY = Buffer.from('x');

async function* single(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

const blobOf = (container: string, blob: string, body: Buffer): PutBlockBlob => ({
  kind: 'putBlockBlob',
  container,
  blob,
  properties: { ...NO_PROPERTIES, contentType: 'application/octet-stream' },
  metadata: [],
  tags: [],
  tier: undefined,
  conditions: NO_CONDITIONS,
  upload: { length: body.length, pieces: single(body), md5: undefined, crc64: undefined, wantsMd5: false },
});

/** Returns the milliseconds that it took. */
export async function fillBlobs({ directory, account, containers }: Filling): Promise<object> {
  const start = performance.now();
  const durability = 'none';
  const store = await ENGINES.open(`lmdb:${directory}`, { clock: systemClock, durability, exclusive: true });
  const context = contextOn(store, { account });
  const body = Buffer.from(SMALL_BODY);
  for (const { name: container, count, naming } of containers) {
    await execute({ kind: 'createContainer', container, metadata: [], publicAccess: 'private' }, context);
    let next = 0;
    const writer = async (): Promise<void> => {
      for (let number = next++; number < count; number = next++) {
        const blob =
          naming === 'rows'
            ? blobOf(container, smallName(number), body)
            : blobOf(container, logName(number, count), TINY);
        await execute(blob, context);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  }
  await store.close();
  return { milliseconds: performance.now() - start };
}
