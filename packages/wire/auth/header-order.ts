// The order in which the Blob and Queue services sort the headers that a Shared Key covers
// (protocol: authentication#order-of-signed-headers): their front end compares names as an English dictionary does, and the official
// clients follow it. Old clients sort by code, see storage-key.ts.

/** From the lightest to the heaviest; `'` and `-` are ignored at first and only break ties. */
const WEIGHTS = '!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz';
const TIE_BREAKERS = "'-";

const weightOf = (char: string | undefined): number => (char === undefined ? -1 : WEIGHTS.indexOf(char));
const isTieBreaker = (char: string | undefined): boolean => char !== undefined && TIE_BREAKERS.includes(char);

function compareWeights(one: string, other: string): number {
  for (let i = 0, j = 0; ; i++, j++) {
    while (isTieBreaker(one[i])) i++;
    while (isTieBreaker(other[j])) j++;
    const difference = weightOf(one[i]) - weightOf(other[j]);
    if (difference !== 0 || one[i] === undefined) return difference;
  }
}

/** Of names that differ only in tie breakers, the one with the earlier tie breaker is the greater; `-` is greater than `'`. */
function compareTieBreakers(one: string, other: string): number {
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const difference = TIE_BREAKERS.indexOf(one[i] ?? ' ') - TIE_BREAKERS.indexOf(other[i] ?? ' ');
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares names in lower case. */
export const compareHeaderNames = (one: string, other: string): number =>
  compareWeights(one, other) || compareTieBreakers(one, other);
