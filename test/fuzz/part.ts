// What the parts of the fuzz suite have in common.

export interface Runs {
  readonly seed: number;
  /** The number of the first run. */
  readonly first: number;
  readonly runs: number;
}

export interface PartReport {
  readonly isSound: boolean;
  /** A finding, or a summary. */
  readonly text: string;
}

export type Part = (runs: Runs) => Promise<PartReport>;

/** From the first run that the failing one depends on up to itself. */
export const repeatCommand = (part: string, seed: number, from: number, run: number): string =>
  `Repeat: node dist/test/fuzz/main.js --part ${part} --seed ${seed} --first ${from} --runs ${run - from + 1}`;
