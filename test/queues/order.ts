// The judge of delivery order: the message that has been visible longest comes first, and of those visible since one
// moment the one that was put first. It judges only gets and peeks that overlap no other call, by what is certain about
// the messages then: under concurrency a queue guarantees no order.
import { Breach } from '../histories/history.js';
import type { Span } from '../histories/ledger.js';
import { nameIn, type QueueHappening, type Shown } from './call.js';
import type { Meetings } from './meetings.js';
import { moved, narrowed } from './message-model.js';

/** Since when a message is visible, as far as answers have shown. */
interface Place {
  readonly visible: Span;
  /** A put or a change to be visible at once is visible whatever the clock does. */
  readonly isAtOnce: boolean;
  readonly expires: Span;
  /** The call that placed it, and its delay. Ticks rise, so of two calls with one delay the earlier one counts. */
  readonly by: QueueHappening;
  readonly seconds: number;
  readonly put: QueueHappening;
}

const FOREVER: Span = { low: 2n ** 62n, high: 2n ** 62n };

const after = (span: Span, seconds: number, shown: bigint | undefined): Span =>
  narrowed(moved(span, seconds), shown);

class Places {
  /** Undefined for a message whose position is uncertain. */
  readonly #places = new Map<string, Place | undefined>();
  readonly #names = new Map<string, string>();
  readonly #meetings: ReadonlyMap<QueueHappening, Meetings>;

  constructor(meetings: ReadonlyMap<QueueHappening, Meetings>) {
    this.#meetings = meetings;
  }

  at(name: string): Place | undefined {
    return this.#places.get(name);
  }

  all(): [string, Place][] {
    return [...this.#places].flatMap(([name, place]): [string, Place][] => (place ? [[name, place]] : []));
  }

  /** Call in the order in which the calls ended. */
  note(happening: QueueHappening): void {
    const { call, answer } = happening;
    if (answer?.code !== undefined || call.kind === 'peek') return;
    if (call.kind === 'clear' || call.kind === 'deleteQueue' || (call.kind === 'get' && !answer)) {
      for (const name of this.#places.keys()) this.#places.set(name, undefined);
    } else if (call.kind === 'put') this.#put(happening, call.text, answer?.messages[0]);
    else if (call.kind === 'get') {
      for (const shown of answer?.messages ?? [])
        this.#move(happening, shown.text, call.seconds, shown.visible);
    } else if (call.kind === 'update') {
      const name = this.#names.get(call.id);
      this.#move(answer ? happening : undefined, name, call.seconds, answer?.visible);
    } else if (call.kind === 'delete') this.#places.set(this.#names.get(call.id) ?? '', undefined);
  }

  #isMet(happening: QueueHappening): boolean {
    return !this.#meetings.get(happening)?.isAlone;
  }

  #put(happening: QueueHappening, text: string, shown: Shown | undefined): void {
    const { call, span } = happening;
    const name = nameIn(text);
    if (shown) this.#names.set(shown.id, name);
    if (!shown || call.kind !== 'put' || this.#isMet(happening)) this.#places.set(name, undefined);
    else {
      const { delay, life } = call;
      const expires = life === undefined ? FOREVER : after(span, life, shown.expires);
      const visible = after(span, delay, shown.visible);
      const isAtOnce = delay === 0;
      this.#places.set(name, { visible, isAtOnce, expires, by: happening, seconds: delay, put: happening });
    }
  }

  #move(
    happening: QueueHappening | undefined,
    text: string | undefined,
    seconds: number,
    shown: bigint | undefined,
  ): void {
    const name = nameIn(text ?? 'm0');
    const place = this.#places.get(name);
    const isCertain = happening && place && !this.#isMet(happening);
    if (!isCertain) this.#places.set(name, undefined);
    else {
      const visible = after(happening.span, seconds, shown);
      const isAtOnce = seconds === 0;
      this.#places.set(name, { ...place, visible, isAtOnce, by: happening, seconds });
    }
  }
}

/** `isOneMoment`: everything that the call moved has one time. */
function isBefore(a: Place, b: Place, isOneMoment: (by: QueueHappening) => boolean): boolean {
  if (a.visible.high < b.visible.low) return true;
  if (a.by === b.by) return isOneMoment(a.by) && a.put.answered < b.put.invoked;
  return a.seconds === b.seconds && a.by.answered < b.by.invoked;
}

function lookFault(
  happening: QueueHappening,
  places: Places,
  isOneMoment: (by: QueueHappening) => boolean,
): Breach | undefined {
  const { call, answer, span, step } = happening;
  if ((call.kind !== 'get' && call.kind !== 'peek') || !answer) return undefined;
  const shown = answer.messages.map(({ text }) => nameIn(text ?? ''));
  const known = shown.map(name => places.at(name));
  for (const [index, place] of known.entries()) {
    const early =
      place && known.slice(index + 1).findIndex(next => next && isBefore(next, place, isOneMoment));
    if (early !== undefined && early >= 0)
      return new Breach(step, `${shown[index + 1 + early]} comes behind ${shown[index]}.`);
  }
  const last = known.at(-1);
  if (shown.length < call.count || !last) return undefined;
  for (const [name, place] of places.all()) {
    const isSeen = place.isAtOnce || place.visible.high <= span.low;
    if (!isSeen || place.expires.low <= span.high || shown.includes(name)) continue;
    if (isBefore(place, last, isOneMoment))
      return new Breach(step, `${name} was passed by for ${shown.at(-1)}.`);
  }
  return undefined;
}

/** The first look at a queue in a forbidden order. */
export function orderFault(
  history: readonly QueueHappening[],
  meetings: ReadonlyMap<QueueHappening, Meetings>,
): Breach | undefined {
  const places = new Places(meetings);
  const expiring = history.flatMap(({ call, span }) =>
    call.kind === 'put' && call.life !== undefined ? [after(span, call.life, undefined)] : [],
  );
  // If some expire during a get it may take the rest at a second moment.
  const isOneMoment = ({ call, span }: QueueHappening): boolean =>
    call.kind === 'get' && !expiring.some(({ low, high }) => low <= span.high && high >= span.low);
  for (const happening of [...history].sort((a, b) => a.answered - b.answered)) {
    if (meetings.get(happening)?.isAlone) {
      const fault = lookFault(happening, places, isOneMoment);
      if (fault) return fault;
    }
    places.note(happening);
  }
  return undefined;
}
