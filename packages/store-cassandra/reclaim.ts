// Removes the rows of dropped spaces, in the background, a few partitions at a time. The cluster has the list of these
// spaces, so that another process continues when one has ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Space, SpaceAddress } from '#store';
import type { Commits } from './commit/commits.js';
import type { Partition, RangeRows } from './commit/partition.js';
import type { CassandraContents } from './content/cassandra-contents.js';
import { BUCKETS } from './layout/bucket.js';
import { DROP_BUCKET, DROP_PARTITION, SYSTEM } from './layout/schema.js';
import { encodeText } from './layout/text.js';
import { partitionsFrom } from './scan/directory.js';
import type { Session } from './session/session.js';

const PARTITION = 'dropped';
const AT_ONCE = 8;
const LIST = 100;
const LOOK_MS = 500;
const LOOKS = 10;
/** Between looks for what other processes left. */
const RESUME_MS = 60_000;

export class Reclaim {
  readonly #session: Session;
  readonly #commits: Commits;
  readonly #list: Partition;
  readonly #contents: CassandraContents;
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(session: Session, commits: Commits, list: Partition, contents: CassandraContents) {
    this.#session = session;
    this.#commits = commits;
    this.#list = list;
    this.#contents = contents;
  }

  /** Call before the space is dropped: the process may end right after the drop. */
  async enter({ account, service, name, id }: Space): Promise<void> {
    const value = Buffer.from(JSON.stringify([account, service, name]));
    await this.#change({ puts: [{ key: String(id), value }] });
  }

  /** For a dropped space. After a failure, the next process that opens the store tries again. */
  begin(id: number): void {
    this.#running = this.#running.then(() => this.#reclaim(BigInt(id))).catch(() => undefined);
  }

  /** For listed spaces of any process that no longer live: now and once a minute. */
  resume(isLiving: (address: SpaceAddress, id: number) => Promise<boolean>): void {
    const resume = (): void => {
      this.#running = this.#running.then(() => this.#resume(isLiving)).catch(() => undefined);
    };
    resume();
    this.#timer = setInterval(resume, RESUME_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #resume(isLiving: (address: SpaceAddress, id: number) => Promise<boolean>): Promise<void> {
    let next: string | undefined = '';
    while (next !== undefined) {
      const page: RangeRows = await this.#list.readRange(next, undefined, LIST);
      for (const { key, value } of page.rows) {
        const [account, service, name]: [string, string, string] = JSON.parse(value.toString());
        if (!(await isLiving({ account, service, name }, Number(key)))) await this.#reclaim(BigInt(key));
      }
      next = page.next;
    }
  }

  async #reclaim(sid: bigint): Promise<void> {
    let batch: string[] = [];
    for await (const name of partitionsFrom(this.#session, sid, '', Number.POSITIVE_INFINITY)) {
      if (this.#isClosed) return;
      batch.push(name);
      if (batch.length < AT_ONCE) continue;
      await this.#drop(sid, batch);
      batch = [];
    }
    await this.#drop(sid, batch);
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      await this.#session.write({ query: DROP_BUCKET, params: [sid, bucket] });
    // Another process removes its own contents, when it resumes.
    for (let look = 0; !(await this.#contents.dropSpace(Number(sid))); look++) {
      if (this.#isClosed || look === LOOKS) return;
      await sleep(LOOK_MS);
    }
    await this.#change({ deletes: [String(sid)] });
  }

  async #drop(sid: bigint, names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map(name => this.#session.write({ query: DROP_PARTITION, params: [sid, encodeText(name)] })),
    );
    await sleep(0);
  }

  async #change(change: {
    readonly puts?: readonly { readonly key: string; readonly value: Buffer }[];
    readonly deletes?: readonly string[];
  }): Promise<void> {
    const decide = () => ({ result: undefined, ...change });
    await this.#commits.commit(SYSTEM, PARTITION, { keys: [] }, decide);
  }
}
