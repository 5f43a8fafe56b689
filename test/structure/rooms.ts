// The order of the folders inside each package, and inside benchmark and demo: which folder may import which. architecture.test.ts holds everything in this table to it,
// so a package that gets folders gets an entry here. Only programs are held to it: a test may import its package's index, and `testing` is open to all tests.

/** Of one package: a folder, or a file at the package's top, and what it may import of these. */
export type Rooms = Readonly<Record<string, readonly string[]>>;

/**
 * Each entry names entries above it and no others, so that there is no way around. `.` is every file at the package's top
 * that has no entry of its own: `index.ts`, for one.
 */
export const ROOMS: Readonly<Record<string, Rooms>> = {
  'packages/patterns': {
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
  'packages/wire': {
    shared: [],
    auth: ['shared'],
    table: ['shared'],
    queue: ['shared'],
    '.': ['shared', 'auth', 'table', 'queue'],
  },
  'packages/server': {
    observe: [],
    auth: [],
    frame: ['observe', 'auth'],
    services: ['observe', 'auth', 'frame'],
    '.': ['observe', 'auth', 'frame', 'services'],
  },
  bench: {
    'places.ts': [],
    'text-table.ts': [],
    machine: [],
    load: ['machine'],
    subjects: ['places.ts', 'text-table.ts', 'machine', 'load'],
    report: ['places.ts', 'load', 'subjects'],
    compare: ['text-table.ts', 'machine', 'load', 'subjects', 'report'],
    mixed: ['text-table.ts', 'machine', 'load', 'subjects', 'report'],
    queues: ['text-table.ts', 'load', 'subjects', 'report'],
    profile: ['places.ts', 'text-table.ts', 'subjects'],
    wal: [],
    '.': ['places.ts', 'load', 'subjects', 'report', 'compare', 'mixed', 'queues', 'profile'],
  },
  demo: {
    data: [],
    stage: ['data'],
    chapters: ['data', 'stage'],
    '.': ['data', 'stage', 'chapters'],
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
