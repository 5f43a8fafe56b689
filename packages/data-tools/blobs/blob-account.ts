// Containers and blobs of an account, read over the wire: lists with metadata and tags, page by page, and contents in
// ranges. Page blobs, snapshots and archived blobs are reported as skipped, by name.
import type { XmlElement } from '#wire';
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { readPoliciesAt } from '../source/policies.js';
import { ToolError } from '../source/tool-error.js';
import {
  childOf,
  LIST_VERSION,
  type ListOptions,
  listPage,
  listPages,
  nameIn,
  textIn,
  textsIn,
} from '../source/xml-list.js';
import {
  type BlobRecord,
  blobPath,
  type ContainerRecord,
  contentHeaders,
  type Texts,
} from './blob-record.js';

interface SkippedBlob {
  readonly name: string;
  readonly reason: string;
}

/** A blob as listed. */
export interface ListedBlob extends BlobRecord {
  readonly etag: string;
}

export interface BlobPage {
  readonly blobs: readonly ListedBlob[];
  readonly skipped: readonly SkippedBlob[];
  readonly next: string | undefined;
}

/** A blob changed after its read began. */
export class BlobReplaced extends Error {
  override readonly name = 'BlobReplaced';
}

/** Bytes per read. */
export const RANGE_BYTES = 4 * 1_048_576;
/** Blobs per list page; small enough that little is repeated after a kill. */
const PAGE_BLOBS = '1000';
/** How often to read a blob again that was replaced during a read. */
export const READS_MAX = 10;

/** A container's own path and parameters. */
export const ofContainer = (name: string, comp: string) => ({
  path: `/${name}`,
  query: { restype: 'container', comp },
});

function tagsIn(element: XmlElement): Texts {
  const set = childOf(childOf(element, 'Tags') ?? NOTHING, 'TagSet') ?? NOTHING;
  return Object.fromEntries(set.children.map(tag => [textIn(tag, 'Key'), textIn(tag, 'Value')]));
}

const NOTHING: XmlElement = { name: '', children: [], text: '' };

/** Names of elements: `content-type` becomes Content-Type. */
const elementOf = (header: string): string => header.replace(/(?:^|-)[a-z]/g, part => part.toUpperCase());

function blobIn(element: XmlElement): ListedBlob | SkippedBlob {
  const name = nameIn(element);
  const properties = childOf(element, 'Properties') ?? NOTHING;
  const snapshot = textIn(element, 'Snapshot');
  if (snapshot !== '') return { name, reason: `it is a snapshot, of ${snapshot}` };
  const type = textIn(properties, 'BlobType');
  if (type !== 'BlockBlob' && type !== 'AppendBlob') return { name, reason: `it is a ${type}` };
  const tier = textIn(properties, 'AccessTier');
  if (tier === 'Archive') return { name, reason: 'it lies in the archive, which must give it back first' };
  return {
    name,
    type,
    bytes: Number(textIn(properties, 'Content-Length')),
    headers: contentHeaders(header => textIn(properties, elementOf(header))),
    metadata: textsIn(childOf(element, 'Metadata')),
    tags: tagsIn(element),
    tier: tier === '' || textIn(properties, 'AccessTierInferred') === 'true' ? null : tier,
    etag: textIn(properties, 'Etag'),
  };
}

export class BlobAccount {
  readonly endpoint: Endpoint;
  /** Whether tags may be listed: a SAS needs a permission of its own for that. */
  #hasTags = true;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  async containers(): Promise<readonly ContainerRecord[]> {
    const found: ContainerRecord[] = [];
    const options = {
      path: '/',
      query: { include: 'metadata' },
      entries: 'Containers',
      what: 'a list of containers',
    };
    for await (const { entries } of listPages(this.endpoint, options))
      for (const element of entries) {
        const name = textIn(element, 'Name');
        const access = textIn(childOf(element, 'Properties') ?? NOTHING, 'PublicAccess');
        found.push({
          name,
          metadata: textsIn(childOf(element, 'Metadata')),
          publicAccess: access === '' ? null : access,
          policies: await readPoliciesAt(this.endpoint, ofContainer(name, 'acl')),
        });
      }
    return found;
  }

  /** A page of blobs by name; a marker of '' is the start. */
  async page(container: string, marker: string): Promise<BlobPage> {
    const { entries, next } = await this.#list(
      container,
      { maxresults: PAGE_BLOBS },
      'metadata,snapshots',
      marker,
    );
    const [blobs, skipped]: [ListedBlob[], SkippedBlob[]] = [[], []];
    for (const element of entries) {
      const blob = blobIn(element);
      if ('reason' in blob) skipped.push(blob);
      else blobs.push(blob);
    }
    return { blobs, skipped, next };
  }

  async #list(container: string, query: Texts, include: string, marker: string) {
    const { path } = ofContainer(container, '');
    const options = (more: string): ListOptions => ({
      path,
      query: { restype: 'container', ...query, include: include + more },
      entries: 'Blobs',
      what: `a list of the blobs in ${container}`,
    });
    if (this.#hasTags) {
      try {
        return await listPage(this.endpoint, options(',tags'), marker);
      } catch (error) {
        const isDenied = error instanceof ToolError && error.exit === 'denied';
        if (!isDenied || this.endpoint.address.hasKey) throw error;
        this.#hasTags = false;
      }
    }
    return listPage(this.endpoint, options(''), marker);
  }

  /** A blob's current state; undefined if it is gone, or is not taken. */
  async again(container: string, name: string): Promise<ListedBlob | undefined> {
    const { entries } = await this.#list(container, { prefix: name, maxresults: '1' }, 'metadata', '');
    const [blob] = entries.map(blobIn);
    return blob === undefined || 'reason' in blob || blob.name !== name ? undefined : blob;
  }

  /**
   * Reads a whole blob, in one state that it had: if it is replaced during the read, discards what was read so far.
   * Undefined if it is gone.
   *
   * @param begin starts again, and takes each piece in turn.
   */
  async read(
    container: string,
    listed: ListedBlob,
    begin: () => (piece: Buffer) => Promise<void> | void,
  ): Promise<ListedBlob | undefined> {
    let blob: ListedBlob | undefined = listed;
    for (let reads = 0; reads < READS_MAX && blob !== undefined; reads++) {
      const take = begin();
      if (await this.#readAs(container, blob, take)) return blob;
      blob = await this.again(container, listed.name);
    }
    if (blob === undefined) return undefined;
    throw new ToolError(
      'gaveUp',
      `Blob ${listed.name} of ${container} was replaced ${READS_MAX} times while it was read.`,
    );
  }

  /** Whether it stayed the same. Appending does not change what was there. */
  async #readAs(
    container: string,
    blob: ListedBlob,
    take: (piece: Buffer) => Promise<void> | void,
  ): Promise<boolean> {
    try {
      for await (const piece of this.pieces(container, blob)) await take(piece);
      return true;
    } catch (error) {
      if (error instanceof BlobReplaced) return false;
      throw error;
    }
  }

  /** The bytes of a blob as input for a write. @throws BlobReplaced */
  async *pieces(container: string, blob: ListedBlob): AsyncGenerator<Buffer, void> {
    for (let from = 0; from < blob.bytes; from += RANGE_BYTES) {
      const piece = await this.#range(container, blob, from, Math.min(from + RANGE_BYTES, blob.bytes) - 1);
      if (piece === undefined) throw new BlobReplaced();
      yield piece;
    }
  }

  async #range(
    container: string,
    { name, type, etag }: ListedBlob,
    from: number,
    to: number,
  ): Promise<Buffer | undefined> {
    const quoted = etag.startsWith('"') ? etag : `"${etag}"`;
    const { value } = await this.endpoint.send({
      method: 'GET',
      path: blobPath(container, name),
      headers: {
        'x-ms-version': LIST_VERSION,
        'x-ms-range': `bytes=${from}-${to}`,
        ...(type === 'BlockBlob' && { 'if-match': quoted }),
      },
      read: answer => {
        const { status, body } = answer;
        if (status === 200 || status === 206) return body.length === to - from + 1 ? body : undefined;
        if (status === 412 || status === 404 || status === 416) return undefined;
        return failureOf(
          this.endpoint,
          `the content of blob ${name} of ${container}: ${errorOf(answer).code}`,
          answer,
        );
      },
    });
    if (value instanceof ToolError) throw value;
    return value;
  }
}
