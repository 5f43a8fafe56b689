// Looks for an order of one object's calls that explains all of their answers. What the calls are to the object is the
// question that each service's judge makes of them.
import {
  type Course,
  type Invocation,
  linearize,
  type Model,
  TooManyExplanations,
  type Unexplained,
} from '../simulation/judge/linearize.js';
import { Breach, type Happening } from './history.js';

export interface Event<Question, H extends Happening<unknown, unknown> = Happening<unknown, unknown>> {
  readonly happening: H;
  readonly question: Question;
}

/** What is known of objects from the histories before, by their names. */
export type Courses = Map<string, Course<unknown>>;

interface Explaining<Question, H extends Happening<unknown, unknown>> {
  /** Keeps the states after this history, where the next one begins. */
  readonly courses?: Courses | undefined;
  /** Whether the effect of a call may have been seen. */
  readonly isSeen?: (question: Question) => boolean;
  /** The answer, for people. */
  readonly show?: (happening: H) => string;
}

const TEXT_MAX = 1100;

export const textOf = (answer: unknown, most = TEXT_MAX): string =>
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' && value.length > most ? `${value.slice(0, 60)}…${value.length}` : value;
  });

/** The first answer that nothing explains. @throws TooManyExplanations */
export function unexplained<State, Question, H extends Happening<unknown, unknown>>(
  object: string,
  events: readonly Event<Question, H>[],
  model: Model<State, Question>,
  { courses, isSeen, show = ({ answer }) => textOf(answer) }: Explaining<Question, H> = {},
): Breach | undefined {
  const calls = events.map(
    ({ happening: { step, invoked, answered, answer }, question }): Invocation<Question> => ({
      step,
      invoked,
      answered,
      required: answer !== undefined,
      question,
    }),
  );
  const known = courses?.get(object);
  const course = { states: (known?.states ?? [model.initial]) as readonly State[] };
  const found = likelyOrder(calls, model, course, isSeen);
  if (!found) {
    courses?.set(object, course);
    return undefined;
  }
  const states = found.states
    .slice(0, 4)
    .map(state => `\n  possible before: ${(model.describe ?? model.key)(state)}`);
  const happening = events.find(({ happening: { invoked } }) => invoked === found.invoked)?.happening;
  const answer = happening === undefined ? '' : show(happening);
  return new Breach(
    found.step,
    `No order of the calls on ${object} explains this answer.${states.join('')}\n  the answer: ${answer}`,
  );
}

/**
 * Twenty writes that each may happen at any time have a million explanations, so it first tries those in which writes
 * whose effects were never seen did not happen. Any explanation is as good as another.
 */
function likelyOrder<State, Question>(
  calls: readonly Invocation<Question>[],
  model: Model<State, Question>,
  course: Course<State>,
  isSeen: ((question: Question) => boolean) | undefined,
): Unexplained<State> | undefined {
  const likely = calls.filter(
    ({ required, question }) => required || isSeen === undefined || isSeen(question),
  );
  try {
    if (likely.length < calls.length && linearize(likely, model, course) === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof TooManyExplanations)) throw error;
  }
  return linearize(calls, model, course);
}

/**
 * The findings of all judges; if they find nothing, and one could not judge everything, fails as that one did. @throws
 * TooManyExplanations
 */
export function allFaults(judges: readonly (() => readonly string[])[]): readonly string[] {
  const faults: string[] = [];
  let unknown: TooManyExplanations | undefined;
  for (const judge of judges)
    try {
      faults.push(...judge());
    } catch (error) {
      if (!(error instanceof TooManyExplanations)) throw error;
      unknown = error;
    }
  if (unknown !== undefined && faults.length === 0) throw unknown;
  return faults;
}
