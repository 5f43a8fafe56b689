// The blobs of one client: a block blob and its copy, an append blob and a page blob, which it puts, appends to, commits, snapshots and deletes,
// one request after the other.
import type { Random } from '../../simulation/plan/random.js';
import type { Connection, Reply } from '../../support/worker-processes.js';
import type { Changes, Image } from '../history.js';
import type { Journal } from '../journal.js';
import { LoneClient } from '../lone-client.js';
import type { Watch } from '../tables/writer.js';
import {
  type BlobCall,
  blockId,
  blockListBody,
  rawBlobRequest,
  sourceUrl,
  tickOfEtag,
} from './blob-request.js';
import { blobPath, blobText, CONTAINER, snapshotPath, stagedPath } from './found-blobs.js';
import { type Part, partText, showParts } from './parts.js';

/** Values above 16 KiB are contents of their own, those above 256 KiB take several writes. */
const LENGTHS = [100, 4000, 20_000, 20_000, 70_000, 300_000] as const;
const PAGE_BLOB_LENGTHS = [4096, 32_768] as const;
const PAGE_BLOB_BYTES = 32_768;
const APPENDED_BYTES_MAX = 600_000;
const SNAPSHOTS_MAX = 3;
const BLOCKS_MAX = 3;

export const KINDS = ['block', 'copy', 'append', 'page'] as const;

/** A request, and what it makes of the client's blobs. */
interface Step extends Omit<BlobCall, 'path'> {
  readonly blob: string;
  readonly status: number;
  readonly changes: Changes;
  /** Whose ETag the answer has; undefined where it has none, or one that does not change. */
  readonly stamps?: string;
}

const SNAPSHOT = /, snapshot /;

function lastVersion(text: string): number | undefined {
  const version = [...text.matchAll(/ (\d+) \d+\/\d+ /g)].at(-1)?.[1];
  return version === undefined ? undefined : Number(version);
}

const shownBlock = ({ at, length }: Part): string => `${blockId(at)}=${length}`;

export class BlobLife extends LoneClient {
  /** The version that was acknowledged last, by blob: readers must not see an older one. */
  readonly acknowledged = new Map<string, number>();
  readonly owner: string;
  readonly #random: Random;
  #watch: Watch | undefined;
  #port = 0;
  #version = 0;

  constructor(owner: string, random: Random) {
    super(`blobs of ${owner}`);
    this.owner = owner;
    this.#random = random;
  }

  watched(port: number, watch: Watch): this {
    this.#port = port;
    this.#watch = watch;
    return this;
  }

  protected async step(connection: Connection, journal: Journal): Promise<void> {
    const state = this.history.state();
    const step = this.#choose(state);
    const { method, query, headers, body, blob } = step;
    const what = `${this.history.owner} ${method} ${blob} ${query ?? ''} ${[...step.changes.values()].map(image => image?.text.slice(0, 60))}`;
    this.history.ask(step.changes, journal.note(`? ${what}`));
    const path = `${CONTAINER}/${blob}`;
    const asking = connection.request(
      rawBlobRequest({
        method,
        path,
        ...(query === undefined ? {} : { query }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      }),
    );
    this.#watch?.asked();
    this.#hear(step, await asking, what, journal);
    this.#watch?.answered();
  }

  #hear({ status, stamps, blob, changes }: Step, reply: Reply, what: string, journal: Journal): void {
    const position = journal.note(`! ${what} ${reply.status} ${reply.headers.etag}`);
    if (reply.status !== status) {
      this.faults.push(`${what}: ${reply.status} ${reply.body}`);
      return;
    }
    const ticks = new Map(stamps === undefined ? [] : [[stamps, tickOfEtag(reply.headers.etag)]]);
    this.history.acknowledge(ticks, position);
    const version = lastVersion(changes.get(blobPath(blob))?.text ?? '');
    if (version !== undefined) this.acknowledged.set(blob, version);
  }

  #choose(state: ReadonlyMap<string, Image>): Step {
    const [block, copy, append, page] = KINDS.map(kind => `${this.owner}-${kind}`) as [
      string,
      string,
      string,
      string,
    ];
    const snapshots = [...state.keys()].filter(path => SNAPSHOT.test(path));
    const of = (blob: string) => snapshots.filter(path => path.startsWith(`${blobPath(blob)},`));
    const source = state.get(blobPath(block));
    return this.#random.weighted<() => Step>([
      [4, () => this.#put(block)],
      [6, () => this.#stageOrCommit(block, state)],
      [source ? 2 : 0, () => this.#copy(block, copy, source?.text ?? '')],
      [5, () => this.#append(append, state)],
      [4, () => this.#writePages(page, state)],
      [2, () => this.#change(this.#random.pick([block, append, page]), state, of)],
    ])();
  }

  #next(length: number, at = 1, of = 1, version = ++this.#version): Part {
    return { owner: this.owner, version, at, of, length };
  }

  #put(blob: string): Step {
    const part = this.#next(this.#random.pick(LENGTHS));
    const image = { text: blobText(showParts([part]), ''), tick: undefined };
    return {
      method: 'PUT',
      blob,
      headers: { 'x-ms-blob-type': 'BlockBlob' },
      body: partText(part),
      status: 201,
      changes: new Map([
        [blobPath(blob), image],
        [stagedPath(blob), undefined],
      ]),
      stamps: blobPath(blob),
    };
  }

  #staged: Part[] = [];

  /** Blocks of one version, and then their list. */
  #stageOrCommit(blob: string, state: ReadonlyMap<string, Image>): Step {
    const staged = state.get(stagedPath(blob))?.text.split(' ') ?? [];
    // A kill may have taken the last one back.
    if (!this.#staged.every(part => staged.includes(shownBlock(part)))) this.#staged = [];
    const [first] = this.#staged;
    if (first !== undefined && this.#staged.length === first.of) return this.#commit(blob);
    const of = first?.of ?? this.#random.between(1, BLOCKS_MAX);
    const part = this.#next(this.#random.pick(LENGTHS), this.#staged.length + 1, of, first?.version);
    this.#staged = [...this.#staged, part];
    const others = staged.filter(each => !each.startsWith(`${blockId(part.at)}=`));
    const text = [...others, shownBlock(part)].sort().join(' ');
    return {
      method: 'PUT',
      blob,
      query: `comp=block&blockid=${encodeURIComponent(blockId(part.at))}`,
      body: partText(part),
      status: 201,
      changes: new Map([[stagedPath(blob), { text, tick: 0n }]]),
    };
  }

  #commit(blob: string): Step {
    const parts = this.#staged;
    this.#staged = [];
    const image = { text: blobText(showParts(parts), ''), tick: undefined };
    return {
      method: 'PUT',
      blob,
      query: 'comp=blocklist',
      body: blockListBody(parts.map(({ at }) => blockId(at))),
      status: 201,
      changes: new Map([
        [blobPath(blob), image],
        [stagedPath(blob), undefined],
      ]),
      stamps: blobPath(blob),
    };
  }

  #copy(from: string, blob: string, text: string): Step {
    return {
      method: 'PUT',
      blob,
      headers: { 'x-ms-copy-source': sourceUrl(this.#port, `${CONTAINER}/${from}`) },
      status: 202,
      changes: new Map([[blobPath(blob), { text, tick: undefined }]]),
      stamps: blobPath(blob),
    };
  }

  #append(blob: string, state: ReadonlyMap<string, Image>): Step {
    const path = blobPath(blob);
    const old = state.get(path);
    const bytes = [...(old?.text.matchAll(/ (\d+)(?:,|$)/g) ?? [])].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
    if (old === undefined || bytes > APPENDED_BYTES_MAX)
      return {
        method: 'PUT',
        blob,
        headers: { 'x-ms-blob-type': 'AppendBlob' },
        status: 201,
        changes: new Map([[path, { text: blobText('', ''), tick: undefined }]]),
        stamps: path,
      };
    const part = this.#next(this.#random.pick(LENGTHS));
    const text = `${old.text}${old.text.endsWith(': ') ? '' : ', '}${showParts([part])}`;
    return {
      method: 'PUT',
      blob,
      query: 'comp=appendblock',
      body: partText(part),
      status: 201,
      changes: new Map([[path, { text, tick: undefined }]]),
      stamps: path,
    };
  }

  /** From its beginning on; zeros follow a part. */
  #writePages(blob: string, state: ReadonlyMap<string, Image>): Step {
    const path = blobPath(blob);
    const old = state.get(path);
    const of = { method: 'PUT', blob, status: 201, stamps: path } as const;
    const empty = { text: blobText('', ''), tick: undefined };
    if (old === undefined || this.#random.happens(0.1))
      return {
        ...of,
        headers: { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': String(PAGE_BLOB_BYTES) },
        changes: new Map([[path, empty]]),
      };
    const [, metadata = ''] = /^(.*?): /.exec(old.text) ?? [];
    const isClear = this.#random.happens(0.2);
    const isShort = old.text.endsWith(': ');
    const length = isClear || !isShort ? PAGE_BLOB_BYTES : this.#random.pick(PAGE_BLOB_LENGTHS);
    const part = this.#next(length);
    const text = blobText(isClear ? '' : showParts([part]), metadata);
    return {
      ...of,
      query: 'comp=page',
      headers: {
        'x-ms-page-write': isClear ? 'clear' : 'update',
        'x-ms-range': `bytes=0-${length - 1}`,
      },
      ...(isClear ? {} : { body: partText(part) }),
      changes: new Map([[path, { text, tick: undefined }]]),
    };
  }

  /** Deletes, snapshots, or sets metadata. */
  #change(blob: string, state: ReadonlyMap<string, Image>, of: (blob: string) => readonly string[]): Step {
    const path = blobPath(blob);
    const old = state.get(path);
    if (old === undefined) return this.#put(`${this.owner}-block`);
    const gone = (paths: readonly string[]): Changes => new Map(paths.map(each => [each, undefined]));
    const snapshots = of(blob);
    const deletion = { method: 'DELETE', blob, status: 202 } as const;
    const text = old.text.slice(old.text.indexOf(': ') + 2);
    const number = String(++this.#version);
    if (snapshots.length >= SNAPSHOTS_MAX)
      return { ...deletion, headers: { 'x-ms-delete-snapshots': 'only' }, changes: gone(snapshots) };
    return this.#random.pick<() => Step>([
      () => ({
        ...deletion,
        headers: { 'x-ms-delete-snapshots': 'include' },
        changes: gone([path, stagedPath(blob), ...snapshots]),
      }),
      () => ({
        method: 'PUT',
        blob,
        query: 'comp=snapshot',
        headers: { 'x-ms-meta-m': number },
        status: 201,
        changes: new Map([[snapshotPath(blob, number), { text: blobText(text, number), tick: 0n }]]),
      }),
      () => ({
        method: 'PUT',
        blob,
        query: 'comp=metadata',
        headers: { 'x-ms-meta-m': number },
        status: 200,
        changes: new Map([[path, { text: blobText(text, number), tick: undefined }]]),
        stamps: path,
      }),
    ])();
  }
}
