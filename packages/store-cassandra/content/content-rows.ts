// Contents as rows: chunks in order, several to a partition, and the list of contents. Others decide whether one may be
// read or removed.
import { BUCKETS, bucketOf } from '../layout/bucket.js';
import {
  DROP_PART,
  ENTER_CONTENT,
  FIND_CONTENT,
  FIND_PART,
  FORGET_CONTENT,
  LIST_CONTENTS,
  PUT_CHUNK,
  READ_CHUNKS,
} from '../layout/schema.js';
import type { Session } from '../session/session.js';

/** Each chunk except the last has this many bytes. */
export const CHUNK_BYTES = 256 * 1024;
/** Per partition: 8 MiB. */
const CHUNKS_A_PART = 32;
const LIST_PAGE = 500;

interface EnteredContent {
  readonly id: string;
  readonly owner: string;
}

const partOf = (chunk: number): number => Math.floor(chunk / CHUNKS_A_PART);

export class ContentRows {
  readonly #session: Session;
  readonly sid: bigint;

  constructor(session: Session, space: number) {
    this.#session = session;
    this.sid = BigInt(space);
  }

  /** Call before the first chunk, so that whatever a process leaves behind is known. */
  enter(id: string, owner: string): Promise<void> {
    return this.#session.write({ query: ENTER_CONTENT, params: [this.sid, bucketOf(id), id, owner] });
  }

  async isEntered(id: string): Promise<boolean> {
    const { rows } = await this.#session.read({ query: FIND_CONTENT, params: [this.sid, bucketOf(id), id] });
    return rows.length > 0;
  }

  putChunk(id: string, chunk: number, bytes: Buffer): Promise<void> {
    return this.#session.write({ query: PUT_CHUNK, params: [this.sid, id, partOf(chunk), chunk, bytes] });
  }

  /** Fewer if some are missing, or where the partition ends. */
  async readChunks(id: string, from: number, until: number): Promise<readonly Buffer[]> {
    const part = partOf(from);
    const end = Math.min(until, (part + 1) * CHUNKS_A_PART);
    const { rows } = await this.#session.read({
      query: READ_CHUNKS,
      params: [this.sid, id, part, from, end],
    });
    const missing = rows.findIndex((row, index) => row.integer('n') !== from + index);
    return rows.slice(0, missing < 0 ? rows.length : missing).map(row => row.bytes('bytes'));
  }

  async *list(): AsyncGenerator<EnteredContent> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      let state: string | undefined;
      do {
        const page = await this.#session.read(
          { query: LIST_CONTENTS, params: [this.sid, bucket] },
          { size: LIST_PAGE, state },
        );
        for (const row of page.rows) yield { id: row.text('id'), owner: row.text('owner') };
        state = page.state;
      } while (state !== undefined);
    }
  }

  /** The last part first: a partly removed content still has its entry and all earlier parts. */
  async remove(id: string): Promise<void> {
    let parts = 0;
    while (await this.#hasPart(id, parts)) parts += 1;
    for (let part = parts - 1; part >= 0; part--)
      await this.#session.write({ query: DROP_PART, params: [this.sid, id, part] });
    await this.#session.write({ query: FORGET_CONTENT, params: [this.sid, bucketOf(id), id] });
  }

  async #hasPart(id: string, part: number): Promise<boolean> {
    const { rows } = await this.#session.read({ query: FIND_PART, params: [this.sid, id, part] });
    return rows.length > 0;
  }
}
