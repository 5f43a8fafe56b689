// The containers and blobs in an Azurite folder: metadata, policies, headers, and the contents of block and append
// blobs. Anything else, such as a blob that was never committed, a snapshot or a page blob, is reported by name.
import { join } from 'node:path';
import { AzuriteExtents, type Extent, extentOf } from './azurite-extents.js';
import {
  type AzuritePolicy,
  isRecord,
  type LokiCollections,
  type LokiDocument,
  policiesIn,
  readLokiFile,
  textIn,
  textOrNone,
  textsIn,
} from './loki-file.js';

export const BLOB_FILE = '__azurite_db_blob__.json';
const CONTENTS = { index: '__azurite_db_blob_extent__.json', folder: '__blobstorage__' };
const CONTAINERS = '$CONTAINERS_COLLECTION$';
const BLOBS = '$BLOBS_COLLECTION$';

export interface AzuriteContainer {
  readonly account: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly policies: readonly AzuritePolicy[];
  readonly publicAccess: string | undefined;
}

interface AzuriteBlob {
  readonly name: string;
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Content-Type and its like, by the names of the headers in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  /** If it was set explicitly. */
  readonly tier: string | undefined;
  readonly length: number;
  readonly extents: readonly Extent[];
}

/** Azurite's names of the properties that are headers of the content. */
const HEADERS: Readonly<Record<string, string>> = {
  contentType: 'content-type',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  contentDisposition: 'content-disposition',
  cacheControl: 'cache-control',
};

function headersOf(properties: LokiDocument): Readonly<Record<string, string>> {
  const named = Object.entries(HEADERS).map(
    ([own, header]) => [header, textOrNone(properties, own)] as const,
  );
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The committed blocks in order, or the one content of a blob uploaded whole. */
function extentsOf(document: LokiDocument): readonly Extent[] {
  const blocks = document.committedBlocksInOrder;
  if (Array.isArray(blocks) && blocks.length > 0)
    return blocks.filter(isRecord).flatMap(({ persistency }) => extentOf(persistency) ?? []);
  return [document.persistency].flatMap(each => extentOf(each) ?? []);
}

function tagsOf(value: unknown): Readonly<Record<string, string>> {
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

function blobOf(document: LokiDocument, path: string): AzuriteBlob {
  const properties = isRecord(document.properties) ? document.properties : {};
  return {
    name: textIn(document, 'name', path),
    type: textOrNone(properties, 'blobType') ?? 'BlockBlob',
    metadata: textsIn(document.metadata),
    headers: headersOf(properties),
    tags: tagsOf(document.blobTags),
    tier: properties.accessTierInferred === true ? undefined : textOrNone(properties, 'accessTier'),
    length: typeof properties.contentLength === 'number' ? properties.contentLength : 0,
    extents: extentsOf(document),
  };
}

export class AzuriteBlobs {
  readonly containers: readonly AzuriteContainer[];
  readonly #collections: LokiCollections;
  readonly #path: string;
  readonly #directory: string;
  #contents: AzuriteExtents | undefined;

  private constructor(directory: string) {
    this.#path = join(directory, BLOB_FILE);
    this.#collections = readLokiFile(this.#path);
    this.#directory = directory;
    this.containers = (this.#collections.get(CONTAINERS) ?? []).map(document => ({
      account: textIn(document, 'accountName', this.#path),
      name: textIn(document, 'name', this.#path),
      metadata: textsIn(document.metadata),
      policies: policiesIn(document.containerAcl),
      publicAccess: isRecord(document.properties)
        ? textOrNone(document.properties, 'publicAccess')
        : undefined,
    }));
  }

  /** @throws LokiInvalid or the system's error. */
  static read(directory: string): AzuriteBlobs {
    return new AzuriteBlobs(directory);
  }

  #documentsOf({ account, name }: AzuriteContainer): readonly LokiDocument[] {
    return (this.#collections.get(BLOBS) ?? []).filter(
      each => each.accountName === account && each.containerName === name && each.deleted !== true,
    );
  }

  /** The block and append blobs of a container in the order of their names. */
  blobsOf(container: AzuriteContainer): readonly AzuriteBlob[] {
    return this.#documentsOf(container)
      .filter(document => reasonOf(document) === undefined)
      .map(document => blobOf(document, this.#path))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Everything else in a container, and the reason why it is not imported. */
  skippedOf(container: AzuriteContainer): readonly { readonly name: string; readonly reason: string }[] {
    return this.#documentsOf(container).flatMap(document => {
      const reason = reasonOf(document);
      return reason === undefined ? [] : [{ name: textIn(document, 'name', this.#path), reason }];
    });
  }

  /** Reads the content of a blob once. Throws LokiInvalid if it is incomplete. */
  checkContent(blob: AzuriteBlob): void {
    const pieces = this.contentOf(blob);
    while (!pieces.next().done);
  }

  /** The content of a blob in pieces. Throws LokiInvalid if it is incomplete. */
  *contentOf({ extents }: AzuriteBlob): Generator<Buffer> {
    this.#contents ??= new AzuriteExtents(this.#directory, CONTENTS);
    for (const extent of extents) yield* this.#contents.read(extent);
  }
}
