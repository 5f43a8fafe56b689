// Converts ETags to numbers, so that they can be compared, and back.

const TICKS_PER_SECOND = 10_000_000n;
const FRACTION_DIGITS = 7;

/** The time in an ETag; fails if it is none. */
export function tickOf(etag: unknown): bigint {
  const time = /^W\/"datetime'(?<whole>[^.']+?)(?:\.(?<fraction>\d{1,7}))?Z'"$/.exec(
    decodeURIComponent(String(etag)),
  );
  const { whole, fraction = '' } = time?.groups ?? {};
  const milliseconds = Date.parse(`${whole}Z`);
  if (!Number.isInteger(milliseconds)) throw new RangeError(`${etag} is no ETag.`);
  return (BigInt(milliseconds) / 1000n) * TICKS_PER_SECOND + BigInt(fraction.padEnd(FRACTION_DIGITS, '0'));
}

export function etagOf(tick: bigint): string {
  const whole = new Date(Number(tick / TICKS_PER_SECOND) * 1000).toISOString().slice(0, 19);
  const fraction = String(tick % TICKS_PER_SECOND)
    .padStart(FRACTION_DIGITS, '0')
    .replace(/0+$/, '');
  const time = `${whole}${fraction === '' ? '' : `.${fraction}`}Z`;
  return `W/"datetime'${encodeURIComponent(time)}'"`;
}
