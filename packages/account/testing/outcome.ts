// Outcomes and refusals as the tests of every service expect them.
import assert from 'node:assert/strict';
import type { ServiceError } from '../service-error.js';

export interface AnyOutcome {
  readonly kind: string;
}

/** The outcome, which must be of the kind. */
export async function outcomeOf<Outcome extends AnyOutcome, Kind extends Outcome['kind']>(
  kind: Kind,
  running: Promise<Outcome>,
): Promise<Extract<Outcome, { kind: Kind }>> {
  const outcome = await running;
  const isOfKind = (candidate: Outcome): candidate is Extract<Outcome, { kind: Kind }> =>
    candidate.kind === kind;
  assert.ok(isOfKind(outcome), `${outcome.kind} is not ${kind}`);
  return outcome;
}

/** For the errors of one service: returns a function that waits for the refusal, checks its code, and returns the error. */
export const refusalsOf =
  <Code extends string>(errors: new (code: Code) => ServiceError<Code>) =>
  async (code: Code, running: Promise<AnyOutcome>): Promise<ServiceError<Code>> => {
    const error = await running.then(
      outcome => assert.fail(`${outcome.kind} should have been refused`),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof errors, String(error));
    assert.equal(error.code, code);
    return error;
  };

/** For the errors of one service: returns a function that returns the code with which an action refuses, or `none`. */
export const codesOf =
  (errors: abstract new (...args: never[]) => { readonly code: string }) =>
  (action: () => unknown): string => {
    try {
      action();
    } catch (error) {
      assert.ok(error instanceof errors, String(error));
      return error.code;
    }
    return 'none';
  };
