// Walks what an audit reads, phase by phase and page by page: how fast, how far it is, and how it goes on by a token. What is compared is others': audit.ts has indexes, copies/audit-copies.ts
// copies, lists/audit-lists.ts lists.
import type { Page, PageOptions } from '../read/results.js';
import { formatToken, parseToken } from '../read/resume-token.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { isObject } from '../values/is-object.js';
import { refuseValue } from '../values/pattern-error.js';
import { oldestMessage } from '../workflow/oldest-message.js';
import type { Service } from '../write/service.js';

/** What an audit does with what it finds, and where it goes on. */
export interface AuditOptions extends ReadOptions {
  /** Sets right what is wrong, unless others write it meanwhile. */
  readonly repair?: boolean | undefined;
  /** The `next` of the last progress that was seen. */
  readonly resume?: string | undefined;
  /** Rows of a page; 100 by default. */
  readonly size?: number | undefined;
  /** Rows that are looked at at once: 16 by default. */
  readonly concurrency?: number | undefined;
  /** Rows a second at most, of those that `checked` counts; as many as there are by default. */
  readonly rate?: number | undefined;
}

/** Where an audit is after a page. Counts are of all pages since the start, or since the token that was given. */
export interface Progress<F, N extends string = string> {
  /** What was looked at. */
  readonly phase: N;
  /** Rows that were read, and blobs. */
  readonly checked: number;
  readonly repaired: number;
  /** Of this page. */
  readonly findings: readonly F[];
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
  /**
   * Since the oldest message was sent that no worker has in hand, in milliseconds, as this run of the audit began: a finding may be what that message will set right. Undefined if there is none, and where
   * nothing follows by messages.
   */
  readonly oldest: number | undefined;
}

interface CheckedPage<F> {
  readonly rows: number;
  readonly findings: readonly F[];
  readonly next: string | undefined;
}

/** Rows of one kind, and what is wrong with them. */
export interface Phase<F, N extends string = string> {
  readonly name: N;
  pages(options: PageOptions): AsyncGenerator<CheckedPage<F>, void, undefined>;
}

interface Pages<R> {
  pages(options: PageOptions): AsyncGenerator<Page<R>, void, undefined>;
}

export const phase = <R, F, N extends string>(
  name: N,
  rows: Pages<R>,
  check: (items: readonly R[]) => Promise<readonly F[]>,
): Phase<F, N> => ({
  name,
  async *pages(options) {
    for await (const { items, next } of rows.pages(options))
      yield { rows: items.length, findings: await check(items), next };
  },
});

/** What is walked. */
export interface WalkPlan<F, N extends string = string> {
  /** A text of everything by which two audits can differ: the place in one is none in another. */
  readonly subject: string;
  readonly phases: readonly Phase<F, N>[];
  /** Of the flows by which it follows. */
  readonly queues: readonly string[];
}

interface Place {
  readonly phase: number;
  readonly page: string | undefined;
}

const PAGE_SIZE = 100;

/** Throws ValueInvalid for a rate that nothing could have. As it goes on it throws TokenMismatch, and what a read or a write throws, but for what is wrong with single rows. */
export function walk<F extends { readonly isRepaired: boolean }, N extends string>(
  service: Service,
  plan: WalkPlan<F, N>,
  options: AuditOptions,
): AsyncGenerator<Progress<F, N>, void, undefined> {
  const { rate } = options;
  if (rate !== undefined && !(rate > 0)) refuseValue('rate', 'rows a second, more than 0', `it is ${rate}`);
  return walked(service, plan, options);
}

async function* walked<F extends { readonly isRepaired: boolean }, N extends string>(
  service: Service,
  { subject, phases, queues }: WalkPlan<F, N>,
  options: AuditOptions,
): AsyncGenerator<Progress<F, N>, void, undefined> {
  const { rate, size = PAGE_SIZE, signal, resume } = options;
  const { tokenSecret } = service.queries;
  const { now, sleep } = service.surroundings;
  const from = await placeOf(resume, subject, tokenSecret);
  const oldest = await oldestMessage(service, queues, { signal });
  const tokenOf = async (place: Place): Promise<string | undefined> =>
    place.phase < phases.length ? formatToken(subject, place, tokenSecret) : undefined;
  let [checked, repaired] = [0, 0];
  for (const [at, { name, pages }] of phases.entries()) {
    if (at < from.phase) continue;
    const page = at === from.phase ? from.page : undefined;
    const behind = await tokenOf({ phase: at + 1, page: undefined });
    let isDone = false;
    let since = now();
    for await (const { rows, findings, next } of pages({ size, resume: page, signal })) {
      checked += rows;
      repaired += findings.filter(({ isRepaired }) => isRepaired).length;
      isDone = next === undefined;
      const token = isDone ? behind : await tokenOf({ phase: at, page: next });
      yield { phase: name, checked, repaired, findings, next: token, oldest };
      // Until so many rows may have been looked at since.
      const pause = isDone || rate === undefined ? 0 : (rows * 1_000) / rate - (now() - since);
      if (pause > 0) await sleep(pause, signal);
      since = now();
    }
    if (!isDone) yield { phase: name, checked, repaired, findings: [], next: behind, oldest };
  }
}

async function placeOf(
  token: string | undefined,
  subject: string,
  secret: Uint8Array | undefined,
): Promise<Place> {
  const at = token === undefined ? {} : await parseToken(token, subject, secret);
  const { phase: number, page } = isObject(at) ? at : {};
  return { phase: Number(number ?? 0), page: typeof page === 'string' ? page : undefined };
}
