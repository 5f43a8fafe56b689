// Fault injection for contents: what the contract allows a content store to do, at random. faults.ts has the faults.
import type { ContentPin, ContentStore, ContentWriter, ListedContent } from './content.js';
import type { Chance } from './faults.js';
import type { Space } from './store.js';

export class FaultyContentStore implements ContentStore {
  readonly #store: ContentStore;
  readonly #chance: Chance;

  constructor(store: ContentStore, chance: Chance) {
    this.#store = store;
    this.#chance = chance;
  }

  async create(space: Space): Promise<ContentWriter> {
    const writer = await this.#chance.look(() => this.#store.create(space));
    return new FaultyWriter(writer, this.#chance);
  }

  /** Each piece may fail, so a read may break off after it has begun. */
  async *read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer> {
    for await (const piece of this.#store.read(space, id, from, until)) {
      await this.#chance.look(async () => undefined);
      yield piece;
    }
  }

  pin(): ContentPin {
    return this.#store.pin();
  }

  unpinnedElsewhere(): Promise<boolean> {
    return this.#store.unpinnedElsewhere();
  }

  drop(space: Space, id: string): Promise<void> {
    return this.#chance.change(() => this.#store.drop(space, id));
  }

  async *list(space: Space): AsyncIterable<ListedContent> {
    await this.#chance.look(async () => undefined);
    yield* this.#store.list(space);
  }
}

/** A failure removes what was written, as the contract says. */
class FaultyWriter implements ContentWriter {
  readonly id: string;
  readonly #writer: ContentWriter;
  readonly #chance: Chance;

  constructor(writer: ContentWriter, chance: Chance) {
    this.id = writer.id;
    this.#writer = writer;
    this.#chance = chance;
  }

  write(piece: Buffer): Promise<void> {
    return this.#change(() => this.#writer.write(piece));
  }

  finish(): Promise<Buffer> {
    return this.#change(() => this.#writer.finish());
  }

  release(): void {
    this.#writer.release();
  }

  discard(): Promise<void> {
    return this.#writer.discard();
  }

  async #change<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#chance.change(call);
    } catch (error) {
      await this.#writer.discard();
      throw error;
    }
  }
}
