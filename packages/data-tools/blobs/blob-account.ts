// Containers and blobs of an account, read over the wire: lists with metadata and tags, page by page, and contents in
// ranges. Page blobs, snapshots and archived blobs are reported as skipped, by name.
import type { XmlElement } from '#wire';
import type { Endpoint } from '../source/endpoint.js';
import { listSpaces, recordOf } from '../source/space.js';
import { ToolError } from '../source/tool-error.js';
import {
  childOf,
  type ListOptions,
  type ListPage,
  listPage,
  nameIn,
  textIn,
  textsIn,
} from '../source/xml-list.js';
import { blobPieces } from './blob-content.js';
import {
  type Blob,
  type BlobRecord,
  type ContainerRecord,
  contentHeaders,
  type SkippedBlob,
  type Texts,
} from './blob-record.js';

/** A blob as listed. */
interface ListedBlob extends BlobRecord {
  readonly etag: string;
}

const PAGE_BLOBS = '1000';

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
    for await (const element of listSpaces(this.endpoint, 'Container')) {
      const access = textIn(childOf(element, 'Properties') ?? NOTHING, 'PublicAccess');
      const { name, metadata, policies } = await recordOf(this.endpoint, 'Container', element);
      found.push({ name, metadata, publicAccess: access === '' ? null : access, policies });
    }
    return found;
  }

  /** By name. */
  async *blobs(container: string): AsyncGenerator<Blob | SkippedBlob, void> {
    for (let marker: string | undefined = ''; marker !== undefined; ) {
      const page: ListPage = await this.#list(
        container,
        { maxresults: PAGE_BLOBS },
        'metadata,snapshots',
        marker,
      );
      for (const blob of page.entries.map(blobIn))
        yield 'reason' in blob ? blob : this.#blobOf(container, blob);
      marker = page.next;
    }
  }

  async #list(container: string, query: Texts, include: string, marker: string): Promise<ListPage> {
    const options = (more: string): ListOptions => ({
      path: `/${container}`,
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

  #blobOf(container: string, listed: ListedBlob): Blob {
    const { name, type, etag, bytes } = listed;
    const state = { container, name, bytes, etag: type === 'BlockBlob' ? etag : undefined };
    return {
      ...listed,
      content: () => blobPieces(this.endpoint, state),
      again: async () => {
        const { entries } = await this.#list(container, { prefix: name, maxresults: '1' }, 'metadata', '');
        const [now] = entries.map(blobIn);
        if (now === undefined || 'reason' in now || now.name !== name) return undefined;
        return this.#blobOf(container, now);
      },
    };
  }
}
