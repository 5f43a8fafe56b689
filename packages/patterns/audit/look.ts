// How every audit handles a suspect: it re-checks it for as long as others keep writing it, repairs it if asked to, and checks once more.
import { isLost, refusalOf } from '../flow/optimistic.js';
import {
  type AnyPatternError,
  PatternError,
  type PatternErrorCode,
  type RowAddress,
} from '../values/pattern-error.js';

/** Times that a row is looked at again because others write it. */
const LOOKS = 8;

/** What every finding has. */
export interface AnyFinding extends RowAddress {
  readonly isRepaired: boolean;
  /** Why it was not repaired or could not be read. */
  readonly reason: AnyPatternError | undefined;
}

/** The result of a check: no fault, changed by others during the check, or a fault and its repair, if it has one. */
export type Sight<F> =
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
export async function settled<F extends AnyFinding>(
  look: (times: number) => Promise<Sight<F>>,
  isToRepair: boolean | undefined,
): Promise<F | undefined> {
  let told: F | undefined;
  for (let times = 0; times < LOOKS; times++) {
    const seen = await look(times);
    if (seen === 'changed') continue;
    if (seen === 'right') return told && { ...told, isRepaired: true, reason: undefined };
    const { finding, repair } = seen;
    if (isToRepair !== true || repair === undefined) return finding;
    try {
      await repair();
      told = { ...finding, isRepaired: true };
    } catch (thrown) {
      if (isLost(thrown)) continue;
      const isUnknown = PatternError.is(thrown, 'OutcomeUnknown');
      const reason = isUnknown ? thrown : faultOfRow(thrown);
      if (reason === undefined) throw thrown;
      told = { ...finding, reason };
      if (!isUnknown) return told;
    }
  }
  return told;
}
