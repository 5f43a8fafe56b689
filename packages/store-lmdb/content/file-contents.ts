// The contents of the embedded engine: files next to the data file (content-path.ts), written and read on libuv's
// threads. Several processes may have the directory open (process-entry.ts). Creates nothing in the directory before
// the first content. file-writer.ts writes one content, file-reader.ts reads one, drops.ts removes them.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ContentPin,
  type ContentStore,
  type ContentWriter,
  type ListedContent,
  type Space,
  StoreError,
} from '#store';
import { contentError, isAbsent, openDirectory, openFile } from '../lmdb/system-call.js';
import {
  assertFormat,
  contentPath,
  contentsOf,
  isContentId,
  newContentId,
  PROCESS_ID_LENGTH,
  spaceOf,
  spacePath,
} from './content-path.js';
import { DirectorySync } from './directory-sync.js';
import { Drops } from './drops.js';
import { missing, readFile } from './file-reader.js';
import { FileWriter, type WriterHost } from './file-writer.js';
import { ProcessEntries, ProcessEntry } from './process-entry.js';

/** Names of a directory that are read in one call. */
const NAMES = 256;

interface FileContentsOptions {
  /** The store's directory. */
  readonly directory: string;
  readonly isDurable: boolean;
  /** True if no other process drops contents. */
  readonly isExclusive: boolean;
  readonly isLiving: (space: Space) => boolean;
  /** The ids of all spaces that exist. */
  readonly livingIds: () => ReadonlySet<number>;
  /** Whether contents may take this many more bytes of the disk. */
  readonly hasSpace: (bytes: number) => boolean;
}

export interface ContentCounts {
  written: number;
  writtenBytes: number;
  readBytes: number;
  removed: number;
}

export class FileContents implements ContentStore {
  readonly counts: ContentCounts = { written: 0, writtenBytes: 0, readBytes: 0, removed: 0 };
  readonly #options: FileContentsOptions;
  /** The directory of all contents. */
  readonly #directory: string;
  readonly #syncs = new DirectorySync();
  /** Directories of spaces whose own names are durable, as far as this process knows. */
  readonly #durable = new Set<string>();
  /** Writers whose contents are not released yet, by id. */
  readonly #writers = new Map<string, FileWriter>();
  readonly #drops: Drops;
  #entry: ProcessEntry | undefined;
  #entries: ProcessEntries;
  #count = 0;
  #isClosed = false;

  /** Fails with `unsupported` if another version of this program wrote the contents. */
  constructor(options: FileContentsOptions) {
    this.#options = options;
    this.#directory = contentsOf(options.directory);
    this.#entries = new ProcessEntries(this.#directory);
    this.#drops = new Drops({
      directory: this.#directory,
      oldestForeignPin: () => this.#entries.oldestPin(),
      publishPin: time => this.#publishPin(time),
      onRemoved: () => {
        this.counts.removed += 1;
      },
    });
    if (!existsSync(this.#directory)) return;
    assertFormat(this.#directory);
    this.#reclaim();
  }

  get waitingDrops(): number {
    return this.#drops.waiting;
  }

  async create(space: Space): Promise<ContentWriter> {
    this.#assertOpen();
    try {
      const entry = this.#begun();
      this.#count += 1;
      const id = newContentId(entry.id, this.#count);
      const path = join(spacePath(this.#directory, space.id), id);
      const writer = new FileWriter(id, path, this.#host(space));
      this.#writers.set(id, writer);
      return writer;
    } catch (error) {
      throw contentError(error, this.#directory);
    }
  }

  async *read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer> {
    this.#assertOpen();
    if (from >= until) return;
    const path = contentPath(this.#directory, space.id, id);
    if (path === undefined) throw missing(join(spacePath(this.#directory, space.id), '?'));
    yield* readFile({ path, from, until }, bytes => {
      this.#assertOpen();
      this.counts.readBytes += bytes;
    });
  }

  pin(): ContentPin {
    this.#assertOpen();
    return this.#drops.pin();
  }

  unpinnedElsewhere(): Promise<boolean> {
    this.#assertOpen();
    return this.#drops.unpinnedElsewhere();
  }

  async drop(space: Space, id: string): Promise<void> {
    this.#assertOpen();
    const path = contentPath(this.#directory, space.id, id);
    if (path !== undefined) await this.#drops.dropContent(path);
  }

  async *list(space: Space): AsyncIterable<ListedContent> {
    this.#assertOpen();
    const alive = new Map<string, boolean>();
    const isWritten = (id: string): boolean => {
      const owner = id.slice(0, PROCESS_ID_LENGTH);
      if (owner === this.#entry?.id) return this.#writers.has(id);
      const known = alive.get(owner) ?? this.#entries.isAlive(owner);
      alive.set(owner, known);
      return known;
    };
    for await (const name of this.#names(space.id)) {
      this.#assertOpen();
      if (isContentId(name) && !isWritten(name)) yield { id: name };
    }
  }

  /** Removes a dropped space's contents in the background. */
  dropSpace(space: number): void {
    this.#durable.delete(spacePath(this.#directory, space));
    if (!this.#isClosed) this.#drops.dropSpace(space);
  }

  /** Waits for calls in progress; removes contents that were begun and not finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#writers.values()].map(writer => writer.abandon()));
    await this.#drops.close();
    this.#entry?.close();
    this.#entry = undefined;
  }

  /** Creates this process's entry and the directory of all contents, at the first content. */
  #begun(): ProcessEntry {
    if (this.#entry === undefined) {
      this.#entry = new ProcessEntry(this.#directory, this.#options.isDurable);
      this.#entries = new ProcessEntries(this.#directory, this.#entry.id);
    }
    return this.#entry;
  }

  /** No other process drops contents of an exclusive store. */
  #publishPin(time: bigint | undefined): void {
    if (!this.#options.isExclusive) this.#begun().publishPin(time);
  }

  #host(space: Space): WriterHost {
    const directory = spacePath(this.#directory, space.id);
    const { isDurable } = this.#options;
    return {
      isDurable,
      assertOpen: () => this.#assertOpen(),
      assertSpace: bytes => {
        if (this.#options.hasSpace(bytes)) return;
        throw new StoreError('full', `${this.#directory}: No space is left on the disk.`);
      },
      open: (path, flags) => this.#open(directory, path, flags),
      syncName: async () => {
        try {
          const made = this.#durable.has(directory) ? undefined : this.#syncs.sync(this.#directory);
          await Promise.all([this.#syncs.sync(directory), made]);
          this.#durable.add(directory);
        } catch (error) {
          // Its space was dropped in the meantime: no row can name it.
          if (!isAbsent(error) || this.#options.isLiving(space)) throw error;
        }
      },
      finished: (_id, bytes) => {
        this.counts.written += 1;
        this.counts.writtenBytes += bytes;
      },
      released: id => {
        this.#writers.delete(id);
        if (!this.#isClosed && !this.#options.isLiving(space)) this.dropSpace(space.id);
      },
      ended: id => {
        this.#writers.delete(id);
      },
    };
  }

  async #open(directory: string, path: string, flags: number): Promise<number> {
    try {
      return await openFile(path, flags, 0o600);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    mkdirSync(directory, { recursive: true });
    return openFile(path, flags, 0o600);
  }

  async *#names(space: number): AsyncIterable<string> {
    try {
      const directory = await openDirectory(spacePath(this.#directory, space), { bufferSize: NAMES });
      for await (const { name } of directory) yield name;
    } catch (error) {
      if (!isAbsent(error)) throw contentError(error, this.#directory);
    }
  }

  /** Reclaims what dropped spaces and ended processes left. Looks up spaces after it saw their directories. */
  #reclaim(): void {
    const spaces = readdirSync(this.#directory).flatMap(name => spaceOf(name) ?? []);
    this.#entries.clean();
    if (spaces.length === 0) return;
    const living = this.#options.livingIds();
    for (const space of spaces) if (!living.has(space)) this.dropSpace(space);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
  }
}
