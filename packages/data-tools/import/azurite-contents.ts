// The queues and containers in an Azurite folder, as input of a load, with metadata and policies. Unexpired messages
// come in the order in which they become visible, with the remainder of their lifetime and of their invisibility; the
// contents of block and append blobs are read when they are written. Anything else, such as a blob that was never
// committed, a snapshot or a page blob, is reported by name.
import {
  type Extent,
  Extents,
  extentOf,
  isRecord,
  type LokiDocument,
  type LokiFile,
  policiesIn,
  textOrNone,
  textsIn,
} from '../azurite/loki-file.js';
import { type Blob, contentHeaders, type Texts } from '../blobs/blob-record.js';
import type { InputContainer } from '../contents/move-container.js';
import { compareText } from '../line/row.js';
import { type Message, type QueueContent, storedQueue } from '../queues/queue-account.js';
import { ToolError } from '../source/tool-error.js';

const QUEUE_CONTENTS = { index: '__azurite_db_queue_extent__.json', folder: '__queuestorage__' };
const BLOB_CONTENTS = { index: '__azurite_db_blob_extent__.json', folder: '__blobstorage__' };
/** Azurite's value for never. */
const NEVER = Date.UTC(9999, 0);

const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString();

interface ContentOptions {
  readonly directory: string;
  /** Whether contents are read, or checked: they must then exist. */
  readonly isWanted: boolean;
  /** Milliseconds since 1970: expired messages are skipped. */
  readonly now: number;
}

/** Of one account. @throws ToolError damaged, or the system's error. */
export function azuriteQueues(
  file: LokiFile,
  account: string,
  { directory, isWanted, now }: ContentOptions,
): readonly QueueContent[] {
  const contents = new Extents(directory, QUEUE_CONTENTS);
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
      const all = isWanted ? messagesOf(name) : [];
      return storedQueue(record, isWanted ? { count: all.length, all } : null);
    })
    .sort((one, other) => compareText(one.name, other.name));
}

/** By the names of Azurite's properties. */
const headersOf = (properties: LokiDocument): Texts =>
  contentHeaders(header =>
    textOrNone(
      properties,
      header.replace(/-(.)/, (_, letter: string) => letter.toUpperCase()),
    ),
  );

/** The committed blocks in order, or the one content of a blob uploaded whole. */
function extentsOf(document: LokiDocument): readonly Extent[] {
  const blocks = document.committedBlocksInOrder;
  if (Array.isArray(blocks) && blocks.length > 0)
    return blocks.filter(isRecord).flatMap(({ persistency }) => extentOf(persistency) ?? []);
  return [document.persistency].flatMap(each => extentOf(each) ?? []);
}

function tagsOf(value: unknown): Texts {
  const set = isRecord(value) && Array.isArray(value.blobTagSet) ? value.blobTagSet : [];
  return textsIn(Object.fromEntries(set.filter(isRecord).map(tag => [String(tag.key), tag.value])));
}

/** Why a blob's document is not imported; undefined if it is. */
function reasonOf(document: LokiDocument): string | undefined {
  if (document.snapshot !== '') return `it is a snapshot, of ${document.snapshot}`;
  if (document.isCommitted !== true) return 'its blocks were never committed';
  const type = isRecord(document.properties) ? document.properties.blobType : undefined;
  return type === 'PageBlob' ? 'it is a PageBlob' : undefined;
}

function blobOf(document: LokiDocument, file: LokiFile, contents: Extents): Blob {
  const properties = isRecord(document.properties) ? document.properties : {};
  const extents = extentsOf(document);
  return {
    name: file.text(document, 'name'),
    type: textOrNone(properties, 'blobType') === 'AppendBlob' ? 'AppendBlob' : 'BlockBlob',
    bytes: extents.reduce((sum, { count }) => sum + count, 0),
    metadata: textsIn(document.metadata),
    headers: headersOf(properties),
    tags: tagsOf(document.blobTags),
    tier: properties.accessTierInferred === true ? null : (textOrNone(properties, 'accessTier') ?? null),
    async *content() {
      try {
        for (const extent of extents) yield* contents.read(extent);
      } catch (error) {
        // It was whole before the first write.
        if (!(error instanceof ToolError)) throw error;
        throw new ToolError('gaveUp', `${error.message} It changed while it was loaded.`, { cause: error });
      }
    },
  };
}

/** Reads contents to find damage before the first write. @throws ToolError damaged, if one is incomplete. */
function checkContents(documents: readonly LokiDocument[], contents: Extents): void {
  for (const extent of documents.flatMap(extentsOf)) Array.from(contents.read(extent), () => undefined);
}

/** The containers of one account. @throws ToolError damaged, or the system's error. */
export function azuriteBlobs(
  file: LokiFile,
  account: string,
  { directory, isWanted }: Omit<ContentOptions, 'now'>,
): readonly InputContainer[] {
  const contents = new Extents(directory, BLOB_CONTENTS);
  const ofAccount = (document: LokiDocument): boolean => document.accountName === account;
  const all = file.documents('$BLOBS_COLLECTION$').filter(each => ofAccount(each) && each.deleted !== true);
  return file
    .documents('$CONTAINERS_COLLECTION$')
    .filter(ofAccount)
    .map((document): InputContainer => {
      const name = file.text(document, 'name');
      const own = all.filter(({ containerName }) => containerName === name);
      const skipped = own.flatMap(each => {
        const reason = reasonOf(each);
        return reason === undefined ? [] : [{ name: file.text(each, 'name'), reason }];
      });
      const taken = own.filter(each => reasonOf(each) === undefined);
      if (isWanted) checkContents(taken, contents);
      const blobs = taken
        .map(each => blobOf(each, file, contents))
        .sort((one, other) => compareText(one.name, other.name));
      return {
        name,
        metadata: textsIn(document.metadata),
        publicAccess:
          textOrNone(isRecord(document.properties) ? document.properties : {}, 'publicAccess') ?? null,
        policies: policiesIn(document.containerAcl),
        blobs: () => [...blobs, ...skipped],
      };
    })
    .sort((one, other) => compareText(one.name, other.name));
}
