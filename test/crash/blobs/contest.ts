// A contest of several clients for one blob, over all lives of the server. Each writes only with the ETag that it read, or only while it has the lease,
// or appends to one log: no two win with one ETag, no two have the lease, no two append at one place, and what was answered is there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/plan/random.js';
import { Connection, type Reply } from '../../support/worker-processes.js';
import type { Journal } from '../journal.js';
import type { Watch } from '../tables/writer.js';
import { type BlobCall, rawBlobRequest, tickOfEtag } from './blob-request.js';
import { type Part, partsOf, partText, showParts } from './parts.js';

const CONTAINER = 'contest';
const PRIZE = `${CONTAINER}/prize`;
const LEASED = `${CONTAINER}/leased`;
const LOG = `${CONTAINER}/log`;
const LENGTHS = [100, 20_000] as const;
const LOG_PARTS_MAX = 150;
const RECONNECT_MILLISECONDS = 5;

const leaseOf = (client: number): string => `00000000-0000-4000-8000-${String(client).padStart(12, '0')}`;

/** What all clients of the contest know together. */
export class Contest {
  readonly faults: string[] = [];
  readonly #random: Random;
  readonly #journal: Journal;
  readonly #watch: { current: Watch | undefined } = { current: undefined };
  #version = 0;
  /** ETags of the writes that won. */
  readonly #used = new Map<string, string>();
  /** The greatest ETag that was answered, and what was written with it. */
  #prize: { tick: bigint; text: string } = { tick: 0n, text: '' };
  /** Writes of the prize, and appends to the log, that got no answer. */
  readonly #unanswered = new Set<string>();
  #holder: number | undefined;
  /** A client may have the lease, or may have given it back. */
  #isLeaseUnknown = false;
  /** Acknowledged appends, by their offset. */
  readonly #appended = new Map<number, string>();
  #isMade = false;

  constructor(random: Random, journal: Journal) {
    this.#random = random;
    this.#journal = journal;
  }

  clients(count: number, port: number, watch: Watch): readonly ContestClient[] {
    this.#watch.current = watch;
    return Array.from({ length: count }, (_, client) => new ContestClient(this, port, client + 1));
  }

  /** One turn of a client: fails where the answer was lost. */
  async turn(connection: Connection, client: number): Promise<void> {
    await this.#random.weighted<() => Promise<void>>([
      [2, () => this.#compete(connection, client)],
      [2, () => this.#lease(connection, client)],
      [3, () => this.#append(connection, client)],
    ])();
  }

  /** The state after the last life must fit the answers. No other client uses the blobs. */
  async judge(port: number): Promise<readonly string[]> {
    const connection = new Connection(port);
    this.#watch.current = undefined;
    if (!this.#isMade) await this.#make(connection);
    this.#isMade = true;
    await this.#judgePrize(connection);
    await this.#judgeLease(connection);
    await this.#judgeLog(connection);
    connection.close();
    return this.faults;
  }

  async #ask(connection: Connection, client: number, call: BlobCall, what = ''): Promise<Reply> {
    const line = `contest ${client} ${call.method} ${call.path} ${call.query ?? ''} ${what}`;
    this.#journal.note(`? ${line}`);
    const asking = connection.request(rawBlobRequest(call));
    this.#watch.current?.asked();
    try {
      const reply = await asking;
      this.#journal.note(`! ${line} ${reply.status} ${reply.headers.etag ?? ''}`);
      return reply;
    } catch (error) {
      this.#journal.note(`- ${line} ${error}`);
      throw error;
    }
  }

  #expect(reply: Reply, what: string, ...statuses: readonly number[]): boolean {
    if (!statuses.includes(reply.status)) this.faults.push(`contest, ${what}: ${reply.status} ${reply.body}`);
    return reply.status === statuses[0];
  }

  #part(client: number): Part {
    this.#version += 1;
    return {
      owner: `c${client}`,
      version: this.#version,
      at: 1,
      of: 1,
      length: this.#random.pick(LENGTHS),
    };
  }

  async #make(connection: Connection): Promise<void> {
    const container = await this.#ask(connection, 0, {
      method: 'PUT',
      path: CONTAINER,
      query: 'restype=container',
    });
    this.#expect(container, 'making the container', 201);
    await this.#makeLog(connection);
    const blob = { method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob' }, body: '' } as const;
    const prize = await this.#ask(connection, 0, { ...blob, path: PRIZE });
    this.#prize = { tick: tickOfEtag(prize.headers.etag), text: '' };
    this.#expect(await this.#ask(connection, 0, { ...blob, path: LEASED }), 'making what is leased', 201);
  }

  async #makeLog(connection: Connection): Promise<void> {
    const headers = { 'x-ms-blob-type': 'AppendBlob' };
    this.#expect(
      await this.#ask(connection, 0, { method: 'PUT', path: LOG, headers }),
      'making the log',
      201,
    );
    this.#appended.clear();
    this.#unanswered.clear();
  }

  /** Writes unless another client has written since it read. */
  async #compete(connection: Connection, client: number): Promise<void> {
    const seen = await this.#ask(connection, client, { method: 'HEAD', path: PRIZE });
    if (!this.#expect(seen, 'looking', 200)) return;
    const etag = String(seen.headers.etag);
    const part = this.#part(client);
    const text = showParts([part]);
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'If-Match': etag };
    const call = { method: 'PUT', path: PRIZE, headers, body: partText(part) } as const;
    this.#unanswered.add(text);
    const reply = await this.#ask(connection, client, call, text);
    this.#unanswered.delete(text);
    this.#watch.current?.answered();
    if (!this.#expect(reply, 'writing with an ETag', 201, 412)) return;
    this.won(etag, text);
    const tick = tickOfEtag(reply.headers.etag);
    if (tick > this.#prize.tick) this.#prize = { tick, text };
  }

  /** A write with that ETag has succeeded. */
  won(etag: string, text: string): void {
    const other = this.#used.get(etag);
    if (other !== undefined) this.faults.push(`contest: ${other} and ${text} both won with ${etag}.`);
    this.#used.set(etag, text);
  }

  async #lease(connection: Connection, client: number): Promise<void> {
    const id = leaseOf(client);
    const lease = { method: 'PUT', path: LEASED, query: 'comp=lease' } as const;
    const acquire = {
      'x-ms-lease-action': 'acquire',
      'x-ms-lease-duration': '-1',
      'x-ms-proposed-lease-id': id,
    };
    const acquired = await this.#unsure(this.#ask(connection, client, { ...lease, headers: acquire }));
    if (!this.#expect(acquired, 'acquiring the lease', 201, 409)) return;
    this.acquired(client);
    const part = this.#part(client);
    const put = { method: 'PUT', path: LEASED, body: partText(part) } as const;
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-lease-id': id };
    this.#expect(await this.#ask(connection, client, { ...put, headers }), 'writing with the lease', 201);
    this.#watch.current?.answered();
    this.released();
    const release = { 'x-ms-lease-action': 'release', 'x-ms-lease-id': id };
    const released = await this.#unsure(this.#ask(connection, client, { ...lease, headers: release }));
    this.#expect(released, 'releasing the lease', 200);
  }

  async #unsure(asking: Promise<Reply>): Promise<Reply> {
    try {
      return await asking;
    } catch (error) {
      this.#isLeaseUnknown = true;
      throw error;
    }
  }

  acquired(client: number): void {
    const other = this.#holder;
    // A client that lost an answer asks again, with the same id.
    if (other !== undefined && other !== client)
      this.faults.push(`contest: ${client} got the lease while ${other} had it.`);
    this.#holder = client;
  }

  released(): void {
    this.#holder = undefined;
  }

  /** At its end, or at the place that it takes for the end. */
  async #append(connection: Connection, client: number): Promise<void> {
    const part = this.#part(client);
    const text = showParts([part]);
    const end = [...this.#appended].at(-1);
    const length = end === undefined ? 0 : end[0] + Number(end[1].split(' ').at(-1));
    const isAtPlace = this.#random.happens(0.5);
    const headers = isAtPlace ? { 'x-ms-blob-condition-appendpos': String(length) } : {};
    const call = {
      method: 'PUT',
      path: LOG,
      query: 'comp=appendblock',
      headers,
      body: partText(part),
    } as const;
    this.#unanswered.add(text);
    const reply = await this.#ask(connection, client, call, text);
    this.#unanswered.delete(text);
    this.#watch.current?.answered();
    if (this.#expect(reply, 'appending', 201, 412))
      this.appended(Number(reply.headers['x-ms-blob-append-offset']), text);
  }

  appended(offset: number, text: string): void {
    const other = this.#appended.get(offset);
    if (other !== undefined)
      this.faults.push(`contest: ${other} and ${text} were both appended at ${offset}.`);
    this.#appended.set(offset, text);
  }

  /** Whole, and what was written last, or one that got no answer. */
  async #judgePrize(connection: Connection): Promise<void> {
    const { status, headers, body } = await this.#ask(connection, 0, { method: 'GET', path: PRIZE });
    const parts = partsOf(body);
    const text = typeof parts === 'string' ? parts : showParts(parts);
    const tick = status === 200 ? tickOfEtag(headers.etag) : -1n;
    const isRight = tick === this.#prize.tick ? text === this.#prize.text : this.#unanswered.has(text);
    if (tick < this.#prize.tick || !isRight)
      this.faults.push(
        `contest: the prize has ${text} at ${tick}, and ${this.#prize.text} won at ${this.#prize.tick}.`,
      );
    this.#prize = { tick, text };
  }

  /** The holder must still have the lease; then it is broken. */
  async #judgeLease(connection: Connection): Promise<void> {
    const holder = this.#holder;
    const lease = { method: 'PUT', path: LEASED, query: 'comp=lease' } as const;
    if (holder !== undefined && !this.#isLeaseUnknown) {
      const renew = { 'x-ms-lease-action': 'renew', 'x-ms-lease-id': leaseOf(holder) };
      const renewed = await this.#ask(connection, 0, { ...lease, headers: renew });
      this.#expect(renewed, 'renewing a lease that was acquired before the kill', 200);
      const put = {
        method: 'PUT',
        path: LEASED,
        headers: { 'x-ms-blob-type': 'BlockBlob' },
        body: '',
      } as const;
      this.#expect(await this.#ask(connection, 0, put), 'writing without the lease', 412);
    }
    const broken = await this.#ask(connection, 0, {
      ...lease,
      headers: { 'x-ms-lease-action': 'break', 'x-ms-lease-break-period': '0' },
    });
    this.#expect(broken, 'breaking the lease', 202, 409);
    this.#holder = undefined;
    this.#isLeaseUnknown = false;
  }

  /** Each append that was answered is where the answer said; what else is there was asked for, once. */
  async #judgeLog(connection: Connection): Promise<void> {
    const { body } = await this.#ask(connection, 0, { method: 'GET', path: LOG });
    const parts = partsOf(body);
    if (typeof parts === 'string') {
      this.faults.push(`contest, log: ${parts}`);
      return;
    }
    const found = new Map<number, string>();
    let offset = 0;
    for (const part of parts) {
      found.set(offset, showParts([part]));
      offset += part.length;
    }
    for (const [at, text] of this.#appended)
      if (found.get(at) !== text)
        this.faults.push(`contest: ${text} was appended at ${at}, where ${found.get(at)} is.`);
    const others = [...found].filter(([at]) => !this.#appended.has(at)).map(([, text]) => text);
    for (const text of others)
      if (!this.#unanswered.delete(text)) this.faults.push(`contest: nobody appended ${text}.`);
    for (const [at, text] of [...found].sort(([a], [b]) => a - b)) {
      this.#appended.delete(at);
      this.#appended.set(at, text);
    }
    if (parts.length > LOG_PARTS_MAX) await this.#makeLog(connection);
  }
}

/** One connection, and another one where an answer is lost. */
export class ContestClient {
  readonly #contest: Contest;
  readonly #port: number;
  readonly #client: number;
  #isOver = false;

  constructor(contest: Contest, port: number, client: number) {
    this.#contest = contest;
    this.#port = port;
    this.#client = client;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    let connection = new Connection(this.#port);
    while (!this.#isOver && this.#contest.faults.length === 0) {
      try {
        await this.#contest.turn(connection, this.#client);
      } catch {
        connection.close();
        connection = new Connection(this.#port);
        await sleep(RECONNECT_MILLISECONDS);
      }
    }
    connection.close();
  }
}
