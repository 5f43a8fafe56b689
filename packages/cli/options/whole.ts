// Whole numbers as values of options. Apart from values.ts, which loads the server: the data tools start without it.
import { InvalidArgumentError } from 'commander';

/** Parses a whole number within bounds. */
export const wholeIn =
  (least: number, most: number, refusal = `A number from ${least} to ${most}.`) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(refusal);
    return value;
  };

export const parsePort = wholeIn(0, 65_535, 'A port is a number from 0 to 65535.');

export const parsePortOrNone = (text: string): number | 'none' => (text === 'none' ? text : parsePort(text));
