// Dates of HTTP headers: RFC 1123, always GMT, in steps of a second.

const FORM =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Ticks of 100 ns since 1970-01-01T00:00:00Z; undefined for what is no such date. */
export function parseHttpDate(text: string): bigint | undefined {
  const milliseconds = FORM.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 10_000n;
}

export function formatHttpDate(ticks: bigint): string {
  return new Date(Number(ticks / 10_000n)).toUTCString();
}
