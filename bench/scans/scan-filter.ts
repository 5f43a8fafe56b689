// The filter of scans: it selects rows by their rank, which is five digits of each row's number, so that the share of matching rows is known.
import { RANKS } from '../load/template.js';

const MATCHES = ['none', 'one in 1,000', 'all'] as const;
export type Match = (typeof MATCHES)[number];

const RANKS_OF_ONE_IN_1000 = RANKS / 1000;

/** The first ranks, counted from `RANKS`. */
const ranksOf = (match: Match): number =>
  match === 'none' ? 0 : match === 'all' ? RANKS : RANKS_OF_ONE_IN_1000;

/** In its form for a URL. */
export const filterOf = (match: Match): string => `Rank%20lt%20${RANKS + ranksOf(match)}`;

export function countOf(match: Match, rows: number): number {
  const wanted = ranksOf(match);
  return Math.floor(rows / RANKS) * wanted + Math.min(rows % RANKS, wanted);
}
