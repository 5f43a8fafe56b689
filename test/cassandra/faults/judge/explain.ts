// Looks for an order of calls that explains a history with many unknown outcomes. Twenty writes that each may happen at
// any time have a million explanations, so it first tries those in which writes whose values were never seen did not
// happen. Any explanation that it finds is as good as another.
import {
  type Invocation,
  linearize,
  type Model,
  TooManyExplanations,
  type Unexplained,
} from '../../../simulation/judge/linearize.js';

/** As `linearize`. `isSeen`: whether what a call wrote may have been seen. @throws TooManyExplanations */
export function explain<State, Question>(
  calls: readonly Invocation<Question>[],
  model: Model<State, Question>,
  isSeen: (question: Question) => boolean,
): Unexplained<State> | undefined {
  const likely = calls.filter(({ required, question }) => required || isSeen(question));
  try {
    if (likely.length < calls.length && linearize(likely, model) === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof TooManyExplanations)) throw error;
  }
  return linearize(calls, model);
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
