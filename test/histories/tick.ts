// Times of the Table service as ticks of 100 ns, so that they can be compared, and back.

const TICKS_PER_MILLISECOND = 10_000n;
const TICKS_PER_SECOND = 10_000_000n;
const FRACTION_DIGITS = 7;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?Z$/;
const ETAG = /^W\/"datetime'([^':]*)'"$/;

/** Of a Timestamp's form. */
export function ticksOf(text: string): bigint {
  const [, seconds, fraction = ''] = TIME.exec(text) ?? [];
  if (seconds === undefined) throw new RangeError(`${text} is no time.`);
  return (
    BigInt(Date.parse(`${seconds}Z`)) * TICKS_PER_MILLISECOND + BigInt(fraction.padEnd(FRACTION_DIGITS, '0'))
  );
}

/** The time in an ETag; fails if it is not the service's. */
export function tickOf(etag: unknown): bigint {
  const [, time] = ETAG.exec(String(etag)) ?? [];
  if (time === undefined) throw new RangeError(`${etag} is no ETag.`);
  return ticksOf(time.replaceAll('%3A', ':'));
}

export function etagOf(tick: bigint): string {
  const whole = new Date(Number(tick / TICKS_PER_SECOND) * 1000).toISOString().slice(0, 19);
  const fraction = String(tick % TICKS_PER_SECOND)
    .padStart(FRACTION_DIGITS, '0')
    .replace(/0+$/, '');
  const time = `${whole}${fraction === '' ? '' : `.${fraction}`}Z`;
  return `W/"datetime'${encodeURIComponent(time)}'"`;
}
