// The queues in an Azurite folder, as input of a load: names, metadata, policies, and the unexpired messages, in the
// order in which they become visible, with the remainder of their lifetime and of their invisibility.
import { type Extent, Extents, extentOf } from '../azurite/extents.js';
import { type LokiFile, policiesIn, textOrNone, textsIn } from '../azurite/loki-file.js';
import { compareText } from '../line/row.js';
import type { Message, QueueContent } from '../queues/queue-account.js';

const CONTENTS = { index: '__azurite_db_queue_extent__.json', folder: '__queuestorage__' };
/** Azurite's value for never. */
const NEVER = Date.UTC(9999, 0);

const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString();

interface QueueOptions {
  readonly directory: string;
  /** Whether messages are read: their contents must then exist. */
  readonly isWanted: boolean;
  /** Milliseconds since 1970: expired messages are skipped. */
  readonly now: number;
}

/** Of one account. @throws ToolError damaged, or the system's error. */
export function azuriteQueues(
  file: LokiFile,
  account: string,
  { directory, isWanted, now }: QueueOptions,
): readonly QueueContent[] {
  const contents = new Extents(directory, CONTENTS);
  const messagesOf = (queue: string): readonly Message[] => {
    const found: { visibleAt: number; expiresAt: number; extent: Extent }[] = [];
    for (const document of file.documents('$MESSAGES_COLLECTION$')) {
      if (document.accountName !== account || document.queueName !== queue) continue;
      const extent = extentOf(document.persistency);
      const expiresAt = Date.parse(textOrNone(document, 'expirationTime') ?? '');
      if (extent === undefined || !(expiresAt > now)) continue;
      found.push({ visibleAt: Number(document.timeNextVisible), expiresAt, extent });
    }
    found.sort((a, b) => a.visibleAt - b.visibleAt);
    return found.map(({ visibleAt, expiresAt, extent }) => ({
      text: Buffer.concat([...contents.read(extent)]).toString('utf8'),
      expires: expiresAt >= NEVER ? null : timeText(expiresAt),
      visible: visibleAt > now ? timeText(visibleAt) : null,
    }));
  };
  const own = file.documents('$QUEUES_COLLECTION$').filter(({ accountName }) => accountName === account);
  return own
    .map((document): QueueContent => {
      const name = file.text(document, 'name');
      const record = { name, metadata: textsIn(document.metadata), policies: policiesIn(document.queueAcl) };
      if (!isWanted) return { ...record, count: async () => 0, read: async () => null };
      const all = messagesOf(name);
      const count = all.length;
      return { ...record, count: async () => count, read: async () => ({ count, all }) };
    })
    .sort((one, other) => compareText(one.name, other.name));
}
