// Where the ticks of new spaces begin, per account and service: a space recreated under a dropped name begins above the
// ticks that the old rows may have had. The floors of recently dropped names are kept by name, so that other names
// begin at the clock's time. Once the clock has passed a floor it is merged into one of all names, which matters only
// if the clock goes back. All floors are one row, which leaves no tombstones.

// | floor of all names, 8 bytes, big-endian | floors of names as JSON: [["name", "ticks"], …], oldest first; absent
// where there is none |
const NAMES_AT = 8;
/** This many names are kept; the oldest of more are merged early. */
const NAMES_MAX = 1000;

export interface Floors {
  readonly all: bigint;
  /** Oldest first. */
  readonly names: readonly (readonly [name: string, floor: bigint])[];
}

export function parseFloors(value: Buffer | undefined): Floors {
  if (value === undefined) return { all: 0n, names: [] };
  const text = value.toString('utf8', NAMES_AT);
  const names: readonly (readonly [string, string])[] = text === '' ? [] : JSON.parse(text);
  return { all: value.readBigInt64BE(), names: names.map(([name, floor]) => [name, BigInt(floor)]) };
}

export function formatFloors({ all, names }: Floors): Buffer {
  const bytes = Buffer.alloc(NAMES_AT);
  bytes.writeBigInt64BE(all);
  if (names.length === 0) return bytes;
  return Buffer.concat([
    bytes,
    Buffer.from(JSON.stringify(names.map(([name, floor]) => [name, String(floor)]))),
  ]);
}

/** The lowest tick of a new space of that name; its rows have later ones. */
export const floorOf = ({ all, names }: Floors, wanted: string): bigint =>
  names.reduce((highest, [name, floor]) => (name === wanted && floor > highest ? floor : highest), all) + 1n;

/** Adds the floor of a dropped name, at the time `now`. */
export function withFloor(floors: Floors, name: string, floor: bigint, now: bigint): Floors {
  const others = floors.names.filter(each => each[0] !== name);
  const known = floorOf(floors, name) - 1n;
  const names = [...others, [name, floor > known ? floor : known] as const];
  const isMerged = ([, each]: Floors['names'][number], i: number): boolean =>
    each < now || i < names.length - NAMES_MAX;
  return {
    all: names.filter(isMerged).reduce((highest, [, each]) => (each > highest ? each : highest), floors.all),
    names: names.filter((each, i) => !isMerged(each, i)),
  };
}
