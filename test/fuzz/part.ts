// What the parts of the fuzz suite have in common.

export interface Runs {
  readonly seed: number;
  /** The number of the first run. */
  readonly first: number;
  readonly runs: number;
}

export interface PartReport {
  readonly isSound: boolean;
  /** What was found, or what was seen. */
  readonly text: string;
}

export type Part = (runs: Runs) => Promise<PartReport>;

/** From the first run that the failing one needs up to itself. */
export const repeatCommand = (part: string, seed: number, from: number, run: number): string =>
  `Repeat: node dist/test/fuzz/main.js --part ${part} --seed ${seed} --first ${from} --runs ${run - from + 1}`;
