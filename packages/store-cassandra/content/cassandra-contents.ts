// The contents of the store on Cassandra: the content contract over chunks, writers, pins and drops.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ContentPin,
  type ContentStore,
  type ContentWriter,
  type ListedContent,
  type Space,
  StoreError,
} from '#store';
import type { Members } from '../members.js';
import type { Session } from '../session/session.js';
import { CHUNK_BYTES, ContentRows } from './content-rows.js';
import { ChunkWriter, type WriterHost } from './content-writer.js';
import type { Drops } from './drops.js';

const ID_BYTES = 16;
/** Chunks per request: a megabyte. */
const READ_CHUNKS = 4;
/** Pins that are held for longer count as long. */
const UNPINNED_MS = 5000;
const LOOK_MS = 500;

interface ContentsHost {
  readonly session: Session;
  readonly members: Members;
  readonly drops: Drops;
  isLiving(space: Space): Promise<boolean>;
}

export class CassandraContents implements ContentStore {
  readonly #host: ContentsHost;
  /** Not released yet, by id. */
  readonly #writers = new Map<string, ChunkWriter>();
  #isClosed = false;

  constructor(host: ContentsHost) {
    this.#host = host;
  }

  async create(space: Space): Promise<ContentWriter> {
    this.#assertOpen();
    const id = randomBytes(ID_BYTES).toString('hex');
    const rows = this.#rows(space);
    const host: WriterHost = {
      assertOpen: () => this.#assertOpen(),
      released: writer => this.#released(space, writer),
      ended: ({ id: ended }) => this.#writers.delete(ended),
    };
    const writer = new ChunkWriter(id, rows, rows.enter(id, this.#host.members.id), host);
    this.#writers.set(id, writer);
    return writer;
  }

  async *read(space: Space, id: string, from: number, until: number): AsyncGenerator<Buffer> {
    this.#assertOpen();
    if (from >= until) return;
    if (this.#host.drops.isGone(id) || this.#writers.get(id)?.state === 'open') throw missing(id);
    const hold = this.#host.drops.hold(false);
    try {
      yield* this.#pieces(this.#rows(space), id, from, until);
    } finally {
      hold.release();
    }
  }

  pin(): ContentPin {
    this.#assertOpen();
    return this.#host.drops.hold(true);
  }

  async unpinnedElsewhere(): Promise<boolean> {
    const { members } = this.#host;
    const standing = await members.standing();
    for (const giveUp = performance.now() + UNPINNED_MS; ; ) {
      this.#assertOpen();
      if (await members.areUnpinned(standing)) return true;
      if (performance.now() > giveUp) return false;
      await sleep(LOOK_MS);
    }
  }

  async drop(space: Space, id: string): Promise<void> {
    this.#assertOpen();
    if (await this.#rows(space).isEntered(id)) this.#host.drops.add(this.#rows(space), id);
  }

  async *list(space: Space): AsyncGenerator<ListedContent> {
    this.#assertOpen();
    const { drops } = this.#host;
    const removals = drops.watch();
    try {
      const members = await this.#host.members.ids();
      for await (const { id, owner } of this.#rows(space).list()) {
        const isOwn = owner === this.#host.members.id || !members.has(owner);
        const isDropped = drops.has(id) || removals.has(id);
        if (isOwn && !isDropped && !this.#writers.has(id)) yield { id };
      }
    } finally {
      removals.release();
    }
  }

  /** Removes all contents of a dropped space; false while some are left. */
  async dropSpace(space: number): Promise<boolean> {
    const rows = new ContentRows(this.#host.session, space);
    const members = await this.#host.members.ids();
    let isEmpty = true;
    for await (const { id, owner } of rows.list()) {
      isEmpty = false;
      // The writer of an unfinished content decides when.
      const isWritten = owner === this.#host.members.id ? this.#writers.has(id) : members.has(owner);
      if (!isWritten) this.#host.drops.add(rows, id);
    }
    return isEmpty;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A row may already name the finished ones.
    for (const writer of this.#writers.values()) if (writer.state === 'open') await writer.discard();
    await this.#host.drops.close();
  }

  async *#pieces(rows: ContentRows, id: string, from: number, until: number): AsyncGenerator<Buffer> {
    const end = Math.ceil(until / CHUNK_BYTES);
    for (let chunk = Math.floor(from / CHUNK_BYTES); chunk < end; ) {
      const found = await rows.readChunks(id, chunk, Math.min(end, chunk + READ_CHUNKS));
      if (found.length === 0) throw missing(id);
      for (const bytes of found) {
        this.#assertOpen();
        const start = chunk * CHUNK_BYTES;
        const wanted = Math.min(until - start, CHUNK_BYTES);
        if (bytes.length < wanted) throw missing(id);
        yield bytes.subarray(Math.max(0, from - start), wanted);
        chunk += 1;
      }
    }
  }

  #released(space: Space, writer: ChunkWriter): void {
    this.#writers.delete(writer.id);
    const dropIfGone = async (): Promise<void> => {
      if (!(await this.#host.isLiving(space))) this.#host.drops.add(writer.rows, writer.id);
    };
    // If that cannot be found out, the next reclaim of the space removes it.
    dropIfGone().catch(() => undefined);
  }

  #rows(space: Space): ContentRows {
    return new ContentRows(this.#host.session, space.id);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
  }
}

const missing = (id: string): StoreError =>
  new StoreError('corrupt', `The content ${id} is missing, or shorter than it was.`);
