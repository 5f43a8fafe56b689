// How every audit handles a suspect: it re-checks it for as long as others keep writing it, repairs it if asked to, and checks once more.
import { isLost, refusalOf } from '../../repo/optimistic.js';
import { type AnyPatternError, PatternError, type PatternErrorCode } from '../../values/pattern-error.js';
import type { Finding } from './derived.js';

/** Times that a row is looked at again because others write it. */
const CHECKS_MAX = 8;

/** The result of a check: no fault, changed by others during the check, or a fault and its repair, if it has one. */
export type CheckResult<F> =
  | 'right'
  | 'changed'
  | { readonly finding: F; readonly repair?: (() => Promise<unknown>) | undefined };

/** Errors that concern one row: an audit reports them and continues. All others end it. */
const OF_ONE_ROW: ReadonlySet<PatternErrorCode> = new Set<PatternErrorCode>([
  'WrongEntity',
  'TypeDrift',
  'NewerVersion',
  'RowUnreadable',
  'KeyInvalid',
  'ValueInvalid',
  'TooLarge',
  'UniqueViolation',
  'Contention',
]);

/** Undefined for errors that should end an audit. */
export function faultOfRow(thrown: unknown): AnyPatternError | undefined {
  const cause = refusalOf(thrown);
  return PatternError.is(cause) && OF_ONE_ROW.has(cause.code) ? cause : undefined;
}

/**
 * The finding, repaired if requested; undefined if there is no fault, or others fixed it. A repair with an unknown outcome is re-checked, too: if the fault is gone, it counts as repaired.
 */
export async function recheck<F extends Pick<Finding, 'isRepaired' | 'reason'>>(
  check: (times: number) => Promise<CheckResult<F>>,
  isToRepair: boolean | undefined,
): Promise<F | undefined> {
  let found: F | undefined;
  for (let times = 0; times < CHECKS_MAX; times++) {
    const seen = await check(times);
    if (seen === 'changed') continue;
    if (seen === 'right') return found && { ...found, isRepaired: true, reason: undefined };
    const { finding, repair } = seen;
    if (isToRepair !== true || repair === undefined) return finding;
    try {
      await repair();
      found = { ...finding, isRepaired: true };
    } catch (thrown) {
      if (isLost(thrown)) continue;
      const isUnknown = PatternError.is(thrown, 'OutcomeUnknown');
      const reason = isUnknown ? thrown : faultOfRow(thrown);
      if (reason === undefined) throw thrown;
      found = { ...finding, reason };
      if (!isUnknown) return found;
    }
  }
  return found;
}
