// Values of options, each parsed from its text or refused with what it may be. Loads nothing of the server: the data tools
// start without it.
import { InvalidArgumentError } from 'commander';

/** Parses a whole number within bounds. */
export const wholeIn =
  (least: number, most: number, refusal = `A number from ${least} to ${most}.`) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(refusal);
    return value;
  };

/** Parses one of these words. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find(each => each === text);
    if (word === undefined) throw new InvalidArgumentError(`One of: ${words.join(', ')}.`);
    return word;
  };

export const parsePort = wholeIn(0, 65_535, 'A port is a number from 0 to 65535.');

export const parsePortOrNone = (text: string): number | 'none' => (text === 'none' ? text : parsePort(text));

/** For an option that may be given several times: adds its value to those before. */
export const each =
  <Value>(parse: (text: string) => Value) =>
  (text: string, before: readonly Value[] = []): readonly Value[] => [...before, parse(text)];
