// What every audit does with a suspect: it looks at it again as often as others write it meanwhile, sets it right if it is to, and looks once more.
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

/** What a look showed: all is right, others wrote meanwhile, or what is wrong, and how it is set right if it can be. */
export type Sight<F> =
  | 'right'
  | 'changed'
  | { readonly finding: F; readonly repair?: (() => Promise<unknown>) | undefined };

/** Errors that say what is wrong with one row: an audit tells them and goes on. All others end it. */
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

/** Undefined for what should end an audit. */
export function faultOfRow(thrown: unknown): AnyPatternError | undefined {
  const cause = refusalOf(thrown);
  return PatternError.is(cause) && OF_ONE_ROW.has(cause.code) ? cause : undefined;
}

/**
 * The finding, repaired if it is to be; undefined where all is right, or others set it right. A repair of which nobody knows whether it was done is looked at again as well: what is right then was repaired.
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
