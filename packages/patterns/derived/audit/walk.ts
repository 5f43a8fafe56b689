// Walks the rows of an audit, phase by phase and page by page: rate, progress, and the token to continue from. audit.ts compares.

import { oldestMessage } from '../../flows/oldest-message.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import { formatToken, parseToken } from '../../repo/read/resume-token.js';
import type { Service } from '../../repo/write/service.js';
import { isObject } from '../../values/is-object.js';
import { refuseValue } from '../../values/pattern-error.js';

/** Options of every audit: from the `next` of the last progress that was seen, in pages of 100 rows by default. */
export interface AuditOptions extends PageOptions {
  /** Repairs findings, unless others write the rows at the same time. */
  readonly repair?: boolean | undefined;
  /** Rows checked concurrently: 16 by default. */
  readonly concurrency?: number | undefined;
  /** Most rows a second, counted as in `checked`; unlimited by default. */
  readonly rate?: number | undefined;
}

/** The state of an audit after a page. Counts cover all pages since the start, or since the given token. */
export interface Progress<F> {
  /** What was looked at. */
  readonly phase: string;
  /** Rows that were read, and blobs. */
  readonly checked: number;
  readonly repaired: number;
  /** Of this page. */
  readonly findings: readonly F[];
  /** The token to continue from; undefined at the end. */
  readonly next: string | undefined;
  /**
   * Age of the oldest message that no worker holds, in milliseconds, when this run of the audit began: that message may still fix a finding. Undefined if there is none, and where
   * no flow is involved.
   */
  readonly oldest: number | undefined;
}

/** Rows of one kind, and the check that finds what is wrong with a page of them. */
export interface Phase<F, R = unknown> {
  readonly name: string;
  readonly rows: { pages(options: PageOptions): AsyncGenerator<Page<R>, void, undefined> };
  check(items: readonly R[]): Promise<readonly F[]>;
}

/** What is walked. */
interface WalkPlan<F> {
  /** A text of everything that distinguishes two audits: a token of one is invalid in another. */
  readonly subject: string;
  readonly phases: readonly Phase<F>[];
  /** Of the flows by which it follows. */
  readonly queues: readonly string[];
}

interface Place {
  readonly phase: number;
  readonly page: string | undefined;
}

const PAGE_SIZE = 100;

/** Throws ValueInvalid for an impossible rate. While it runs it throws TokenMismatch, and errors of reads and writes except those of single rows. */
export function walk<F extends { readonly isRepaired: boolean }>(
  service: Service,
  plan: WalkPlan<F>,
  options: AuditOptions,
): AsyncGenerator<Progress<F>, void, undefined> {
  const { rate } = options;
  if (rate !== undefined && !(rate > 0)) refuseValue('rate', 'rows a second, more than 0', `it is ${rate}`);
  return walked(service, plan, options);
}

async function* walked<F extends { readonly isRepaired: boolean }>(
  service: Service,
  { subject, phases, queues }: WalkPlan<F>,
  options: AuditOptions,
): AsyncGenerator<Progress<F>, void, undefined> {
  const { rate, size = PAGE_SIZE, signal, resume } = options;
  const { tokenSecret } = service.queries;
  const { now, sleep } = service.surroundings;
  const from = await placeOf(resume, subject, tokenSecret);
  const oldest = await oldestMessage(service, queues, { signal });
  const tokenOf = async (place: Place): Promise<string | undefined> =>
    place.phase < phases.length ? formatToken(subject, place, tokenSecret) : undefined;
  let [checked, repaired] = [0, 0];
  for (const [at, phase] of phases.entries()) {
    const { name } = phase;
    if (at < from.phase) continue;
    const page = at === from.phase ? from.page : undefined;
    const behind = await tokenOf({ phase: at + 1, page: undefined });
    let isDone = false;
    let since = now();
    for await (const { items, next } of phase.rows.pages({ size, resume: page, signal })) {
      const findings = await phase.check(items);
      checked += items.length;
      repaired += findings.filter(({ isRepaired }) => isRepaired).length;
      isDone = next === undefined;
      const token = isDone ? behind : await tokenOf({ phase: at, page: next });
      yield { phase: name, checked, repaired, findings, next: token, oldest };
      // Until so many rows may have been looked at since.
      const pause = isDone || rate === undefined ? 0 : (items.length * 1_000) / rate - (now() - since);
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
