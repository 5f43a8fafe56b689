// Names of the blobs that lists are measured on: files of logs by the hour, as in the table design guide. Every name is
// a function of its number, so that the content of a list is known.

/** Hours that the names go around, from the beginning of 2014. */
const HOURS = 10_000;
const HOUR_MILLISECONDS = 3_600_000;
const FIRST_HOUR = Date.UTC(2014, 0, 1);
const NUMBER_DIGITS = 6;

export const ALL_PREFIX = 'queue/';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const perHour = (count: number): number => Math.ceil(count / HOURS);

/** The name of one of `count` blobs; names are in the order of their numbers. */
export function logName(number: number, count: number): string {
  const hour = new Date(FIRST_HOUR + Math.floor(number / perHour(count)) * HOUR_MILLISECONDS);
  const [month, day, hours] = [hour.getUTCMonth() + 1, hour.getUTCDate(), hour.getUTCHours()].map(twoDigits);
  return `queue/${hour.getUTCFullYear()}/${month}/${day}/${hours}00/${String(number).padStart(NUMBER_DIGITS, '0')}.log`;
}
