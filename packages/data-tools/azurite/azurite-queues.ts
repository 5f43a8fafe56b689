// The queues in an Azurite folder: names, metadata, policies, and the unexpired messages, in the order in which they
// become visible.
import { join } from 'node:path';
import { AzuriteExtents, type Extent, extentOf } from './azurite-extents.js';
import {
  type AzuritePolicy,
  type LokiCollections,
  policiesIn,
  readLokiFile,
  textIn,
  textOrNone,
  textsIn,
} from './loki-file.js';

export const QUEUE_FILE = '__azurite_db_queue__.json';
const CONTENTS = { index: '__azurite_db_queue_extent__.json', folder: '__queuestorage__' };
const QUEUES = '$QUEUES_COLLECTION$';
const MESSAGES = '$MESSAGES_COLLECTION$';

export interface AzuriteQueue {
  readonly account: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly AzuritePolicy[];
}

interface AzuriteMessage {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly visibleAt: number;
  readonly expiresAt: number;
}

export class AzuriteQueues {
  readonly queues: readonly AzuriteQueue[];
  readonly #collections: LokiCollections;
  readonly #directory: string;
  readonly #path: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, QUEUE_FILE);
    this.#collections = readLokiFile(this.#path);
    this.queues = (this.#collections.get(QUEUES) ?? []).map(document => ({
      account: textIn(document, 'accountName', this.#path),
      name: textIn(document, 'name', this.#path),
      metadata: textsIn(document.metadata),
      policies: policiesIn(document.queueAcl),
    }));
  }

  /** @throws LokiInvalid or the system's error. */
  static read(directory: string): AzuriteQueues {
    return new AzuriteQueues(directory);
  }

  /** The messages of a queue that are live at the time `now`, in milliseconds since 1970. */
  *messagesOf({ account, name }: AzuriteQueue, now: number): Generator<AzuriteMessage> {
    const contents = new AzuriteExtents(this.#directory, CONTENTS);
    const found: { visibleAt: number; expiresAt: number; extent: Extent }[] = [];
    for (const document of this.#collections.get(MESSAGES) ?? []) {
      if (document.accountName !== account || document.queueName !== name) continue;
      const extent = extentOf(document.persistency);
      const expiresAt = Date.parse(textOrNone(document, 'expirationTime') ?? '');
      if (extent === undefined || !(expiresAt > now)) continue;
      found.push({ visibleAt: Number(document.timeNextVisible), expiresAt, extent });
    }
    found.sort((a, b) => a.visibleAt - b.visibleAt);
    for (const { visibleAt, expiresAt, extent } of found)
      yield { visibleAt, expiresAt, text: Buffer.concat([...contents.read(extent)]).toString('utf8') };
  }
}
