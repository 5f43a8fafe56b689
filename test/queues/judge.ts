// The judge of queues: splits a history of calls into histories of single messages, and searches for each an order of
// its calls, each between its beginning and its end, that explains all answers (message-model.ts). It judges the
// existence of queues in the same way. order.ts judges the delivery order.
import { type Event as Explained, textOf, unexplained } from '../histories/explain.js';
import { Breach } from '../histories/history.js';
import type { Model } from '../simulation/judge/linearize.js';
import { nameIn, type QueueAnswer, type QueueHappening, type Shown } from './call.js';
import { type Meetings, meetingsOf } from './meetings.js';
import { MESSAGE_MODEL, type MessageQuestion } from './message-model.js';
import { orderFault } from './order.js';

type Event = Explained<MessageQuestion, QueueHappening>;

/** What is known of a message before its history is searched. */
interface Course {
  readonly name: string;
  readonly id: string | undefined;
  /** The calls that name the message, and the answers that show it. */
  readonly events: Event[];
}

/** A put whose message was never seen again. */
const isUnheard = ({ events: [only, ...others] }: Course): boolean =>
  others.length === 0 && only?.question.kind === 'put' && only.happening.answer === undefined;

const isSuccess = (answer: QueueAnswer | undefined): boolean =>
  answer !== undefined && answer.code === undefined;

/** The courses of one queue's messages. */
class Courses {
  readonly all = new Map<string, Course>();
  readonly faults: Breach[] = [];
  readonly #names = new Map<string, string>();

  constructor(history: readonly QueueHappening[]) {
    for (const happening of history) this.#note(happening);
    for (const happening of history) this.#follow(happening);
  }

  #course(happening: QueueHappening, text: string, id: string | undefined): Course {
    const name = nameIn(text);
    const known = this.all.get(name);
    const course: Course = { name, id: known?.id ?? id, events: known?.events ?? [] };
    if (id !== undefined && course.id !== id)
      this.faults.push(new Breach(happening.step, `${name} is there twice, as ${course.id} and as ${id}.`));
    this.all.set(name, course);
    if (id !== undefined) this.#names.set(id, name);
    return course;
  }

  #note(happening: QueueHappening): void {
    const { call, answer, step, span } = happening;
    if (call.kind === 'put' && answer?.code === undefined) {
      const shown = answer?.messages[0];
      const question = { step, span, kind: 'put', call, shown } as const;
      this.#course(happening, call.text, shown?.id).events.push({ happening, question });
    }
    if (call.kind !== 'get' && call.kind !== 'peek') return;
    const ids = new Set<string>();
    for (const shown of answer?.messages ?? []) {
      if (ids.has(shown.id)) {
        this.faults.push(new Breach(step, `One answer shows ${shown.id} twice.`));
        continue;
      }
      ids.add(shown.id);
      const question: MessageQuestion =
        call.kind === 'get'
          ? { step, span, kind: 'got', seconds: call.seconds, shown }
          : { step, span, kind: 'peeked', shown };
      this.#course(happening, shown.text ?? '', shown.id).events.push({ happening, question });
    }
  }

  #follow(happening: QueueHappening): void {
    const { call, answer, step, span } = happening;
    if (call.kind !== 'update' && call.kind !== 'delete') return;
    const course = this.all.get(this.#names.get(call.id) ?? '');
    const asked = { step, span, answer };
    const question: MessageQuestion =
      call.kind === 'update' ? { ...asked, kind: 'update', call } : { ...asked, kind: 'delete', call };
    course?.events.push({ happening, question });
  }
}

/** What a call implies for every message of its queue that its answer does not show; undefined for nothing. */
function questionOfAll({ call, answer, step, span }: QueueHappening, meetings: Meetings | undefined) {
  switch (call.kind) {
    case 'clear':
    case 'deleteQueue':
      if (answer?.code !== undefined) return undefined;
      return { step, span, kind: 'cleared' } as const;
    case 'get':
      if (!answer) return { step, span, kind: 'got', seconds: call.seconds, shown: undefined } as const;
      break;
    case 'peek':
      break;
    default:
      return undefined;
  }
  const hadRoom = isSuccess(answer) && (answer?.messages.length ?? 0) < call.count;
  // Gets skip what others are about to take, and a look misses a message that is moved or removed at the same time.
  const mayHide = meetings?.mayHide && !(call.kind === 'peek' && call.isOfCopy);
  return hadRoom && !mayHide ? ({ step, span, kind: 'unseen' } as const) : undefined;
}

const areTogether = (a: QueueHappening, b: QueueHappening): boolean =>
  a.invoked < b.answered && b.invoked < a.answered;

/** A look reads places first and texts then: during changes a peek may show some of both, and a get a later text. */
function sharpened(event: Event, events: readonly Event[]): Event[] {
  const { happening, question } = event;
  const others = events.filter(other => other !== event && areTogether(happening, other.happening));
  if (question.kind === 'peeked')
    return others.every(other => other.question.kind === 'peeked') ? [event] : [];
  if (question.kind !== 'got' || !question.shown) return [event];
  if (!others.some(other => other.question.kind === 'update')) return [event];
  return [{ happening, question: { ...question, shown: { ...question.shown, text: undefined } } }];
}

/** When the message was there at the earliest, and at the latest. */
function lifeOf({ events }: Course): readonly [from: number, to: number] {
  const put = events.find(({ question }) => question.kind === 'put');
  let end = Number.POSITIVE_INFINITY;
  for (const { happening } of events) {
    const { call, answer, answered } = happening;
    if (call.kind === 'delete' && isSuccess(answer) && answered < end) end = answered;
  }
  return [put?.happening.invoked ?? 0, end];
}

const shows = ({ answer }: QueueHappening, id: string | undefined): boolean =>
  answer?.messages.some((shown: Shown) => shown.id === id) ?? false;

interface OfAll extends Event {
  readonly isRemoval: boolean;
}

function eventsOf(course: Course, ofAll: readonly OfAll[]): Event[] {
  const [from, to] = lifeOf(course);
  const events = course.events.flatMap(event => sharpened(event, course.events));
  let end = to;
  for (const { happening, question, isRemoval } of ofAll) {
    if (happening.answered < from || happening.invoked > end) continue;
    if (!shows(happening, course.id)) events.push({ happening, question });
    // Emptying the queue while the message was certainly there ends its search.
    const isCertain = isRemoval && happening.answer !== undefined && happening.invoked > from;
    if (isCertain && isAnsweredBefore(course, happening.invoked)) end = Math.min(end, happening.answered);
  }
  return events;
}

const isAnsweredBefore = ({ events }: Course, moment: number): boolean =>
  events.some(({ question, happening }) => question.kind === 'put' && happening.answered < moment);

const shown = ({ call, span: { low, high }, answer }: QueueHappening): string =>
  `${call.kind} between ${low} and ${high}: ${textOf(answer, 60)}`;

type QueueQuestion = 'made' | 'was there' | 'deleted' | 'there' | 'not there';

const QUEUE_MODEL: Model<boolean, QueueQuestion> = {
  initial: false,
  key: isThere => (isThere ? 'there' : 'not there'),
  apply(isThere, question) {
    if (question === 'made') return isThere ? [] : [true];
    if (question === 'deleted') return isThere ? [false] : [];
    return isThere === (question !== 'not there') ? [isThere] : [];
  },
};

function queueQuestion({ call, answer }: QueueHappening): QueueQuestion | undefined {
  if (answer?.code === 'QueueNotFound') return 'not there';
  if (call.kind === 'createQueue') return answer?.status === 204 ? 'was there' : 'made';
  if (call.kind === 'deleteQueue') return 'deleted';
  return answer && 'there';
}

function faultsOfQueue(queue: string, history: readonly QueueHappening[]): Breach[] {
  const meetings = meetingsOf(history);
  const ofAll = history.flatMap((happening): OfAll[] => {
    const question = questionOfAll(happening, meetings.get(happening));
    return question ? [{ happening, question, isRemoval: question.kind === 'cleared' }] : [];
  });
  const life = history.flatMap(happening => {
    const question = queueQuestion(happening);
    return question ? [{ happening, question }] : [];
  });
  const courses = new Courses(history);
  const faults = [
    ...courses.faults,
    unexplained(`queue ${queue}`, life, QUEUE_MODEL, { show: shown }),
    orderFault(history, meetings),
    ...[...courses.all.values()]
      .filter(course => !isUnheard(course))
      .map(course =>
        unexplained(`${course.name} in ${queue}`, eventsOf(course, ofAll), MESSAGE_MODEL, { show: shown }),
      ),
  ];
  return faults.filter(fault => fault !== undefined);
}

/** Forbidden answers of any queue, in order. All calls have ended. */
export function queueFaults(history: readonly QueueHappening[]): Breach[] {
  const queues = new Map<string, QueueHappening[]>();
  for (const happening of history) {
    const { queue } = happening.call;
    const own = queues.get(queue);
    if (own) own.push(happening);
    else queues.set(queue, [happening]);
  }
  const faults = [...queues].flatMap(([queue, own]) => faultsOfQueue(queue, own));
  return faults.sort((a, b) => a.step - b.step);
}
