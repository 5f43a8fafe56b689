// Times as ticks of 100 ns since 1970-01-01T00:00:00Z: the clock, and their texts. ISO 8601, for Edm.DateTime, policies
// and errors, with the range of a property, and the dates of HTTP headers. The proleptic Gregorian calendar without
// leap seconds.

/**
 * The time in ticks. May jump either way; engines keep versions rising. Injected: the program that opens a server or a store passes one, and
 * tests pass their own.
 */
export type Clock = () => bigint;

/** The wall clock, in steps of a millisecond. */
export const systemClock: Clock = () => BigInt(Date.now()) * 10_000n;

/** 1601-01-01T00:00:00Z, the earliest time that a property may hold (protocol: data-model#types). */
export const DATE_TIME_MIN = -116_444_736_000_000_000n;
/** 9999-12-31T23:59:59.9999999Z, the latest. */
export const DATE_TIME_MAX = 2_534_023_007_999_999_999n;
/** 0001-01-01T00:00:00Z: .NET's DateTime.MinValue, with which programs compare (protocol: data-model#types). */
export const YEAR_ONE = -621_355_968_000_000_000n;

const TICKS_PER_SECOND = 10_000_000;
const BIG_TICKS_PER_SECOND = 10_000_000n;
const SECONDS_PER_DAY = 86_400;
const MILLISECONDS_PER_DAY = 86_400_000;
/** Zones reach from -14:00 to +14:00, as in XML Schema. */
const ZONE_MINUTES_MAX = 14 * 60;

const DOT = 0x2e;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** For the calendar. It has no state between two calls: each sets it first. */
const calendar = new Date(0);

/** The value of `count` digits; NaN, for which every comparison is false, if one is not a digit. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Days since 1970 of a text that begins with yyyy-MM-dd; NaN if it does not. */
function parseDay(text: string): number {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  calendar.setTime(0);
  const milliseconds = calendar.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have, or a month that does not exist, is in another month.
  const isDay = year >= 1 && calendar.getUTCMonth() === month - 1;
  return isDay && text.charCodeAt(4) === MINUS && text.charCodeAt(7) === MINUS
    ? milliseconds / MILLISECONDS_PER_DAY
    : Number.NaN;
}

/** Minutes east of UTC that the rest of the text names; UTC if it is empty; NaN if it is not a zone. */
function parseZone(text: string, at: number): number {
  if (at === text.length) return 0;
  const sign = text.charCodeAt(at);
  if (sign === LETTER_Z) return at + 1 === text.length ? 0 : Number.NaN;
  const minute = digits(text, at + 4, 2);
  const minutes = digits(text, at + 1, 2) * 60 + minute;
  const isZone =
    minute <= 59 &&
    minutes <= ZONE_MINUTES_MAX &&
    text.charCodeAt(at + 3) === COLON &&
    text.length === at + 6;
  if (!isZone || (sign !== PLUS && sign !== MINUS)) return Number.NaN;
  return sign === PLUS ? minutes : -minutes;
}

/**
 * Ticks of a time in ISO 8601: `yyyy-MM-dd[THH:mm[:ss[.f…]]][Z|±HH:mm]`. Without a zone it is UTC; digits beyond the
 * seventh of a fraction are cut off (protocol: data-model#types). Undefined for any other text, and for times outside of
 * `earliest` to DATE_TIME_MAX.
 */
export function parseDateTime(text: string, earliest: bigint = DATE_TIME_MIN): bigint | undefined {
  let seconds = parseDay(text) * SECONDS_PER_DAY;
  let fraction = 0;
  let at = 10;
  if (text.charCodeAt(at) === LETTER_T) {
    const hour = digits(text, 11, 2);
    const minute = digits(text, 14, 2);
    if (!(hour <= 23 && minute <= 59 && text.charCodeAt(13) === COLON)) return undefined;
    seconds += hour * 3600 + minute * 60;
    at = 16;
    if (text.charCodeAt(at) === COLON) {
      const second = digits(text, 17, 2);
      if (!(second <= 59)) return undefined;
      seconds += second;
      at = 19;
      if (text.charCodeAt(at) === DOT) {
        const from = ++at;
        let scale = TICKS_PER_SECOND;
        for (let digit = digits(text, at, 1); digit >= 0; digit = digits(text, ++at, 1)) {
          scale = Math.floor(scale / 10);
          fraction += digit * scale;
        }
        if (at === from) return undefined;
      }
    }
  }
  seconds -= parseZone(text, at) * 60;
  if (Number.isNaN(seconds)) return undefined;
  const ticks = BigInt(seconds) * BIG_TICKS_PER_SECOND + BigInt(fraction);
  return ticks >= earliest && ticks <= DATE_TIME_MAX ? ticks : undefined;
}

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

function formatDay(day: number): string {
  calendar.setTime(day * MILLISECONDS_PER_DAY);
  const year = calendar.getUTCFullYear();
  const [month, date] = [calendar.getUTCMonth() + 1, calendar.getUTCDate()];
  return `${TWO_DIGITS[Math.floor(year / 100)]}${TWO_DIGITS[year % 100]}-${TWO_DIGITS[month]}-${TWO_DIGITS[date]}`;
}

// Consecutive times mostly fall on one day, and the calendar is half of the work: the text of the last day is cached.
let rememberedDay = Number.NaN;
let rememberedText = '';

/** The text up to the whole second. */
function formatSecond(second: number): string {
  const day = Math.floor(second / SECONDS_PER_DAY);
  if (day !== rememberedDay) {
    rememberedText = formatDay(day);
    rememberedDay = day;
  }
  const rest = second - day * SECONDS_PER_DAY;
  const minute = Math.floor(rest / 60);
  return `${rememberedText}T${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[rest % 60]}`;
}

/** Whole seconds since 1970, rounded down, also before 1970. */
function secondOf(ticks: bigint): number {
  const towardsZero = ticks / BIG_TICKS_PER_SECOND;
  return Number(ticks < 0n && towardsZero * BIG_TICKS_PER_SECOND !== ticks ? towardsZero - 1n : towardsZero);
}

/** Ticks past the whole second, 0 to 9,999,999. */
function fractionOf(ticks: bigint): number {
  const signed = Number(ticks % BIG_TICKS_PER_SECOND);
  return signed < 0 ? signed + TICKS_PER_SECOND : signed;
}

/** Seven digits behind the point. */
const formatFraction = (fraction: number): string => `.${String(TICKS_PER_SECOND + fraction).slice(1)}`;

const withoutZeros = (text: string): string => (text.endsWith('0') ? withoutZeros(text.slice(0, -1)) : text);

// The entities of one answer were mostly written in one commit, or within a second: the text of the last second is cached.
let secondTicks = 0n;
let secondText = formatSecond(0);
let answeredTicks = 0n;
let answeredText = `${secondText}Z`;

/** `2017-11-10T02:44:47.62Z`: zeros at the fraction's end are cut off, and so is the point (protocol: entities#etags). */
export function formatDateTime(ticks: bigint): string {
  if (ticks === answeredTicks) return answeredText;
  let fraction = Number(ticks - secondTicks);
  if (!(fraction >= 0 && fraction < TICKS_PER_SECOND)) {
    fraction = fractionOf(ticks);
    secondTicks = ticks - BigInt(fraction);
    secondText = formatSecond(Number(secondTicks / BIG_TICKS_PER_SECOND));
  }
  answeredText = `${secondText}${withoutZeros(fraction === 0 ? '' : formatFraction(fraction))}Z`;
  answeredTicks = ticks;
  return answeredText;
}

/** `2017-11-10T02:44:47.6200000Z`: always seven digits, as in the text of errors (protocol: entities#etags). */
export const formatDateTimeFull = (ticks: bigint): string =>
  `${formatSecond(secondOf(ticks))}${formatFraction(fractionOf(ticks))}Z`;

/** RFC 1123, always GMT, in steps of a second. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Ticks of 100 ns since 1970-01-01T00:00:00Z; undefined for any other text. */
export function parseHttpDate(text: string): bigint | undefined {
  const milliseconds = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 10_000n;
}

// An answer of a blob has two such dates, usually the same: the text of the last second is cached, and that of its day.
let httpSecond = Number.NaN;
let httpText = '';
let httpDay = Number.NaN;
let httpDayText = '';
const MIDNIGHT = '00:00:00 GMT';

export function formatHttpDate(ticks: bigint): string {
  const second = secondOf(ticks);
  if (second === httpSecond) return httpText;
  const day = Math.floor(second / SECONDS_PER_DAY);
  if (day !== httpDay) {
    httpDayText = new Date(day * SECONDS_PER_DAY * 1000).toUTCString().slice(0, -MIDNIGHT.length);
    httpDay = day;
  }
  const rest = second - day * SECONDS_PER_DAY;
  const minute = Math.floor(rest / 60);
  httpText = `${httpDayText}${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[rest % 60]} GMT`;
  httpSecond = second;
  return httpText;
}
