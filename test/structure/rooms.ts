// The order of the folders inside each package: which folder may import which. architecture.test.ts holds every package of this table to it, so a package that
// gets folders gets an entry here. Only programs are held to it: a test may import its package's index, and `testing` is open to all tests.

/** Of one package: a folder, or a file at the package's top, and the folders that it may import. */
export type Rooms = Readonly<Record<string, readonly string[]>>;

/**
 * Each entry names entries above it and no others, so that there is no way around. `.` is what stands at the package's top
 * and has no entry of its own: `index.ts`, for one.
 */
export const ROOMS: Readonly<Record<string, Rooms>> = {
  patterns: {
    values: [],
    flow: ['values'],
    keys: ['values'],
    model: ['values', 'keys'],
    filter: ['values', 'keys', 'model'],
    transport: ['values', 'flow'],
    read: ['values', 'flow', 'keys', 'model', 'filter', 'transport'],
    write: ['values', 'flow', 'model', 'transport', 'read'],
    '.': ['values', 'flow', 'keys', 'model', 'filter', 'transport', 'read', 'write'],
  },
};

/** Files of tests, for tests: no program imports them, and they may import whatever they need. */
export const TESTING = 'testing';

/** The entry of the table for a file of the package, whose path begins below it. */
export function roomOf(rooms: Rooms, path: string): string {
  const [first = '', ...rest] = path.split('/');
  return rest.length > 0 || first in rooms ? first : '.';
}

/** Faults of a table itself: entries that name what does not stand above them. */
export function faultsOf(rooms: Rooms): readonly string[] {
  const names = Object.keys(rooms);
  return Object.entries(rooms).flatMap(([name, allowed], at) =>
    allowed.filter(each => !names.slice(0, at).includes(each)).map(each => `${name} -> ${each}`),
  );
}
