// A point in time with the service's precision: 100 ns ticks, which neither Date nor a float64 can hold. `Instant.now` reads the clock for applications; the library itself
// takes the time from surroundings.ts.
import { refuseValue } from './pattern-error.js';

/** Of units of time; months have no number of them. */
export const TICKS_OF = { minute: 600_000_000n, hour: 36_000_000_000n, day: 864_000_000_000n } as const;

const TICKS_PER_MILLISECOND = 10_000n;
const TICKS_PER_SECOND = 10_000_000n;
/** Ticks from 0001-01-01 to 1970-01-01. */
const EPOCH_TICKS = 621_355_968_000_000_000n;
/** 9999-12-31T23:59:59.9999999Z. */
export const TICKS_MAX = 3_155_378_975_999_999_999n;
/** 1601-01-01T00:00:00Z. */
const STORED_TICKS_MIN = EPOCH_TICKS - 116_444_736_000_000_000n;

const TEXT =
  /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

function refuse(text: string, reason: string): never {
  refuseValue('Instant', 'a time', `${text} ${reason}`);
}

/** Seconds of a zone east of UTC. */
function zoneSeconds(zone: string): number {
  if (zone === 'Z') return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

/**
 * A point in time, from the year 1 to the year 9999, to 100 ns. Instants compare with `<` and `>`; equality is `equals`.
 * A property holds those from 1601 on.
 */
export class Instant {
  /** Ticks of 100 ns since 0001-01-01T00:00:00Z, as .NET counts them. */
  readonly ticks: bigint;

  private constructor(ticks: bigint) {
    this.ticks = ticks;
  }

  static fromTicks(ticks: bigint): Instant {
    if (ticks < 0n || ticks > TICKS_MAX) refuse(`${ticks}`, 'is not between the years 1 and 9999');
    return new Instant(ticks);
  }

  /** The time of this computer, to the millisecond. Two calls may give the same: `TickClock` gives times that are unique. */
  static now(): Instant {
    return Instant.fromDate(new Date());
  }

  static fromDate(date: Date): Instant {
    const milliseconds = date.getTime();
    if (Number.isNaN(milliseconds)) refuse('Invalid Date', 'is not a time');
    return Instant.fromTicks(BigInt(milliseconds) * TICKS_PER_MILLISECOND + EPOCH_TICKS);
  }

  /** From ISO 8601, in UTC unless it names a zone. Digits beyond the seventh of a fraction are cut off, as the service does. */
  static parse(text: string): Instant {
    const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = 'Z'] =
      TEXT.exec(text) ?? [];
    if (year === undefined) refuse(text, 'is not a time in ISO 8601');
    const date = new Date(0);
    date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
    // A day that the month does not have becomes one of the next.
    if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day))
      refuse(text, 'is not a day of the calendar');
    const time = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - zoneSeconds(zone);
    const ticks = BigInt(date.getTime() / 1000 + time) * TICKS_PER_SECOND;
    return Instant.fromTicks(ticks + EPOCH_TICKS + BigInt(fraction.slice(0, 7).padEnd(7, '0')));
  }

  /** Whether a property can hold it: from 1601 on. */
  get isStorable(): boolean {
    return this.ticks >= STORED_TICKS_MIN;
  }

  plus(ticks: bigint): Instant {
    return Instant.fromTicks(this.ticks + ticks);
  }

  equals(other: Instant): boolean {
    return this.ticks === other.ticks;
  }

  /** To the millisecond, rounded down. */
  toDate(): Date {
    return new Date(Number(this.ticks / TICKS_PER_MILLISECOND - EPOCH_TICKS / TICKS_PER_MILLISECOND));
  }

  /** `2017-11-10T02:44:47.6221962Z`, always with seven digits: what is later has a greater text. */
  toString(): string {
    const fraction = String(this.ticks % TICKS_PER_SECOND).padStart(7, '0');
    return `${this.toDate().toISOString().slice(0, 19)}.${fraction}Z`;
  }

  toJSON(): string {
    return this.toString();
  }

  valueOf(): bigint {
    return this.ticks;
  }
}

/** By what it has, for there may be two copies of this library in a process. */
export const isInstant = (value: unknown): value is Instant =>
  typeof value === 'object' && value !== null && 'ticks' in value && typeof value.ticks === 'bigint';

const ETAG_TIME = /^W\/"datetime'(.+)'"$/;

/** The time in an ETag, which is how the service makes it: an answer to a write has no other. */
export function instantOfEtag(etag: string): Instant | undefined {
  const [, time] = ETAG_TIME.exec(etag) ?? [];
  if (time === undefined) return undefined;
  try {
    return Instant.parse(decodeURIComponent(time));
  } catch {
    return undefined;
  }
}
