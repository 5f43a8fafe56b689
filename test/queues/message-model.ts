// The model of one message, without a store: the answers that each call permits, and its effect. It restates the Queue service's
// guarantees: a message is delivered until it is deleted or expires, hidden while it is leased, and obeys only the lease's receipt.
//
// The time of an event is known only within a span. So a message is visible, or expired, certainly, certainly not, or possibly,
// and the model permits both for possibly.
import type { Span } from '../histories/ledger.js';
import type { Model } from '../simulation/judge/linearize.js';
import {
  type DeleteCall,
  type PutCall,
  type QueueAnswer,
  SECOND,
  type Shown,
  type UpdateCall,
} from './call.js';

/** The end of the year 9999, as answers show what never expires. */
const NEVER = 2_534_023_007_990_000_000n;

interface Standing {
  readonly text: string;
  readonly inserted: Span;
  readonly expires: Span;
  readonly visible: Span;
  /** It was put, or returned, to be visible at once: it is visible whatever the clock does. */
  readonly isAtOnce: boolean;
  readonly dequeueCount: number;
  /** Begins with `?` if no client got it. */
  readonly receipt: string;
}

type MessageState = 'not yet' | 'gone' | Standing;

/** A call as far as it concerns the message; `step` and `span` are the call's. Without an answer its outcome is unknown. */
export type MessageQuestion = { readonly step: number; readonly span: Span } & (
  | { readonly kind: 'put'; readonly call: PutCall; readonly shown: Shown | undefined }
  | { readonly kind: 'got'; readonly seconds: number; readonly shown: Shown | undefined }
  | { readonly kind: 'peeked'; readonly shown: Shown }
  /** A look that had room for more did not see it. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'update'; readonly call: UpdateCall; readonly answer: QueueAnswer | undefined }
  | { readonly kind: 'delete'; readonly call: DeleteCall; readonly answer: QueueAnswer | undefined }
  /** Its queue was cleared or deleted. */
  | { readonly kind: 'cleared' }
);

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const moved = ({ low, high }: Span, seconds: number): Span => {
  const ticks = BigInt(seconds) * SECOND;
  return { low: low + ticks, high: high + ticks };
};

/** The rest of a span after an answer gave the second; without an answer all of it. */
export const narrowed = ({ low, high }: Span, second: bigint | undefined): Span =>
  second === undefined
    ? { low, high }
    : { low: later(low, second), high: earlier(high, second + SECOND - 1n) };

const isPossible = ({ low, high }: Span): boolean => low <= high;

const mayBeExpired = ({ expires }: Standing, { high }: Span): boolean => expires.low <= high;
const mayLive = ({ expires }: Standing, { low }: Span): boolean => expires.high > low;
const mayBeVisible = ({ visible, isAtOnce }: Standing, { high }: Span): boolean =>
  isAtOnce || visible.low <= high;
const mayBeHidden = ({ visible, isAtOnce }: Standing, { low }: Span): boolean =>
  !isAtOnce && visible.high > low;

function put(state: MessageState, question: MessageQuestion & { kind: 'put' }): MessageState[] {
  const { call, shown, span, step } = question;
  if (state !== 'not yet') return [];
  const inserted = narrowed(span, shown?.inserted);
  const expires =
    call.life === undefined
      ? { low: NEVER, high: NEVER }
      : narrowed(moved(inserted, call.life), shown?.expires);
  const visible = narrowed(moved(inserted, call.delay), shown?.visible);
  if (![inserted, expires, visible].every(isPossible)) return [];
  if (shown && call.life === undefined && shown.expires !== NEVER) return [];
  const receipt = shown?.receipt ?? `?${step}`;
  const isAtOnce = call.delay === 0;
  return [{ text: call.text, inserted, expires, visible, isAtOnce, dequeueCount: 0, receipt }];
}

/** As it was put and changed (if it shows a text), at a time when it may be visible; records the times in the answer. */
function see(state: MessageState, shown: Shown, span: Span): Standing | undefined {
  if (typeof state === 'string' || (shown.text ?? state.text) !== state.text) return undefined;
  const inserted = narrowed(state.inserted, shown.inserted);
  const expires = narrowed(state.expires, shown.expires);
  if (!isPossible(inserted) || !isPossible(expires)) return undefined;
  return mayBeVisible(state, span) && mayLive(state, span) ? { ...state, inserted, expires } : undefined;
}

function take(state: MessageState, question: MessageQuestion & { kind: 'got' }): MessageState[] {
  const { shown, seconds, span, step } = question;
  if (typeof state === 'string') return [];
  const seen = shown ? see(state, shown, span) : state;
  if (!seen || !mayBeVisible(seen, span) || !mayLive(seen, span)) return [];
  const dequeueCount = seen.dequeueCount + 1;
  if (shown && shown.dequeueCount !== dequeueCount) return [];
  const visible = narrowed(moved(span, seconds), shown?.visible);
  if (!isPossible(visible)) return [];
  return [{ ...seen, visible, isAtOnce: false, dequeueCount, receipt: shown?.receipt ?? `?${step}` }];
}

/** What the refusal of a receipt implies for the message. */
function refused(
  state: MessageState,
  { code, receipt, span }: { code: string; receipt: string; span: Span },
): MessageState[] {
  const isThere = typeof state !== 'string';
  switch (code) {
    case 'QueueNotFound':
      return isThere ? [] : [state];
    case 'MessageNotFound':
      return !isThere || mayBeExpired(state, span) ? [state] : [];
    case 'PopReceiptMismatch':
      return isThere && mayLive(state, span) && state.receipt !== receipt ? [state] : [];
    default:
      return [];
  }
}

function holdsLease(state: MessageState, receipt: string, span: Span): state is Standing {
  return typeof state !== 'string' && state.receipt === receipt && mayLive(state, span);
}

function update(state: MessageState, question: MessageQuestion & { kind: 'update' }): MessageState[] {
  const { call, answer, span, step } = question;
  const { receipt, seconds } = call;
  const code = answer?.code;
  if (code === 'OutOfRangeQueryParameterValue')
    return holdsLease(state, receipt, span) && state.expires.low < moved(span, seconds).high ? [state] : [];
  if (code !== undefined) return refused(state, { code, receipt, span });
  if (!holdsLease(state, receipt, span)) return [];
  const visible = narrowed(moved(span, seconds), answer?.visible);
  if (!isPossible(visible) || visible.low > state.expires.high) return [];
  const text = call.text ?? state.text;
  const isAtOnce = seconds === 0;
  return [{ ...state, text, visible, isAtOnce, receipt: answer?.receipt ?? `?${step}` }];
}

function apply(state: MessageState, question: MessageQuestion): MessageState[] {
  const { span } = question;
  switch (question.kind) {
    case 'put':
      return put(state, question);
    case 'got':
      return take(state, question);
    case 'peeked': {
      const seen = see(state, question.shown, span);
      return seen && question.shown.dequeueCount === seen.dequeueCount ? [seen] : [];
    }
    case 'unseen':
      return typeof state === 'string' || mayBeHidden(state, span) || mayBeExpired(state, span)
        ? [state]
        : [];
    case 'update':
      return update(state, question);
    case 'delete': {
      const { call, answer } = question;
      if (answer?.code !== undefined)
        return refused(state, { code: answer.code, receipt: call.receipt, span });
      return holdsLease(state, call.receipt, span) ? ['gone'] : [];
    }
    case 'cleared':
      return [state === 'not yet' ? state : 'gone'];
  }
}

const spanText = ({ low, high }: Span): string => (low === high ? String(low) : `${low} to ${high}`);

/** A readable form of states, which also distinguishes them. */
function describeMessage(state: MessageState): string {
  if (typeof state === 'string') return state;
  const { text, inserted, expires, visible, isAtOnce, dequeueCount, receipt } = state;
  const times = `visible ${spanText(visible)}${isAtOnce ? ' and at once' : ''}, expires ${spanText(expires)}`;
  return `there: ${text.slice(0, 40)} (${text.length}), put ${spanText(inserted)}, ${times}, got ${dequeueCount} times, receipt ${receipt}`;
}

export const MESSAGE_MODEL: Model<MessageState, MessageQuestion> = {
  initial: 'not yet',
  key: describeMessage,
  apply,
};
