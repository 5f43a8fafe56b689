// Writes one content: gathers pieces into chunks, and writes several of them at a time.
import { Crc64 } from '#base';
import { type ContentWriter, StoreError } from '#store';
import { CHUNK_BYTES, type ContentRows } from './content-rows.js';

/** Concurrent chunks. Fewer than a part has, so that no part before the last stays empty if one of them fails. */
const AT_ONCE = 4;

export interface WriterHost {
  /** @throws StoreError `closed`. */
  assertOpen(): void;
  released(writer: ChunkWriter): void;
  ended(writer: ChunkWriter): void;
}

type WriterState = 'open' | 'finished' | 'released' | 'ended';

export class ChunkWriter implements ContentWriter {
  readonly id: string;
  readonly rows: ContentRows;
  readonly #host: WriterHost;
  readonly #underWay = new Set<Promise<void>>();
  readonly #entered: Promise<void>;
  readonly #sum = new Crc64();
  #chunk: Buffer | undefined;
  #filled = 0;
  #count = 0;
  #failure: unknown;
  #state: WriterState = 'open';

  constructor(id: string, rows: ContentRows, entered: Promise<void>, host: WriterHost) {
    this.id = id;
    this.rows = rows;
    this.#entered = entered;
    this.#host = host;
    this.#entered.catch(() => undefined);
  }

  get state(): WriterState {
    return this.#state;
  }

  async write(piece: Buffer): Promise<void> {
    this.#assertOpen();
    this.#sum.update(piece);
    for (let at = 0; at < piece.length; ) {
      this.#chunk ??= Buffer.allocUnsafe(CHUNK_BYTES);
      const taken = piece.copy(this.#chunk, this.#filled, at);
      this.#filled += taken;
      at += taken;
      if (this.#filled === CHUNK_BYTES) await this.#send(this.#chunk);
    }
  }

  async finish(): Promise<Buffer> {
    this.#assertOpen();
    if (this.#chunk !== undefined && this.#filled > 0)
      await this.#send(this.#chunk.subarray(0, this.#filled));
    await Promise.all([this.#entered, ...this.#underWay]);
    this.#assertOpen();
    this.#state = 'finished';
    return this.#sum.digest();
  }

  release(): void {
    if (this.#state !== 'finished') return;
    this.#state = 'released';
    this.#host.released(this);
  }

  async discard(): Promise<void> {
    if (this.#state === 'released' || this.#state === 'ended') return;
    this.#state = 'ended';
    await Promise.allSettled([this.#entered, ...this.#underWay]);
    this.#host.ended(this);
    // If it cannot be removed now, it is listed once this process has ended.
    await this.rows.remove(this.id).catch(() => undefined);
  }

  async #send(chunk: Buffer): Promise<void> {
    this.#chunk = undefined;
    this.#filled = 0;
    const number = this.#count++;
    const sending = this.#entered
      .then(() => this.rows.putChunk(this.id, number, chunk))
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
    if (this.#underWay.size >= AT_ONCE) await Promise.race(this.#underWay);
    this.#assertOpen();
  }

  #assertOpen(): void {
    this.#host.assertOpen();
    if (this.#failure !== undefined) {
      // Nothing is left of it.
      void this.discard();
      throw this.#failure;
    }
    if (this.#state !== 'open')
      throw new StoreError('closed', `The content ${this.id} is not written to any more.`);
  }
}
