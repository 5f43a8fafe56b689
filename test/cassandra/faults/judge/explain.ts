// Looks for an order of calls that explains a history with many unclear writes. Twenty that each may happen at any time have a million explanations, so it
// first tries those in which writes whose values were never read did not happen. One explanation is as good as any other.
import {
  type Invocation,
  linearize,
  type Model,
  TooManyExplanations,
  type Unexplained,
} from '../../../simulation/judge/linearize.js';

/** As `linearize`. `isSeen`: whether anybody may have seen what a call wrote. @throws TooManyExplanations */
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

/** What all of them find; where they find nothing, and one could not judge all, it fails as that one did. @throws TooManyExplanations */
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
