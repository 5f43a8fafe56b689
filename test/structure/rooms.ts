// Allowed imports: the order of the packages, what belongs to one service or to one engine alone, and the order of the
// folders inside each package, benchmark and demo. architecture.test.ts checks all programs against it. A package that
// gets folders gets an entry here, as do a new package, service or engine; a test may import its package's index, and
// `testing` is open to all tests.

/** The packages that each may import, by their aliases. */
export const DIRECTIONS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  http: ['base'],
  store: ['base'],
  'store-lmdb': ['store', 'base'],
  'store-cassandra': ['store', 'base'],
  account: ['store', 'base'],
  tables: ['account', 'store', 'base'],
  queues: ['account', 'store', 'base'],
  blobs: ['account', 'store', 'base'],
  wire: ['tables', 'queues', 'blobs', 'account', 'store', 'base'],
  server: [
    'http',
    'wire',
    'tables',
    'queues',
    'blobs',
    'account',
    'store',
    'store-lmdb',
    'store-cassandra',
    'base',
  ],
  // Over the wire only: never an engine, never the server. From the pattern library it uses the classes of filters.
  'data-tools': ['wire', 'patterns', 'base'],
  // Its page is bundled: it may use only what has nothing of Node.
  explorer: ['data-tools', 'patterns', 'wire', 'account', 'base'],
  cli: ['explorer', 'data-tools', 'server', 'tables', 'queues', 'blobs', 'store', 'base'],
  // Published separately: its users install nothing of the server.
  patterns: [],
};

/** Engines, which one file names for all others; tests open them directly. */
export const ENGINES: ReadonlySet<string> = new Set(['store-lmdb', 'store-cassandra']);
export const REGISTRY = 'packages/server/engines.ts';

/**
 * For each service: the entry points of its domain and its wire, and the files that may name them. The command inspects
 * stores of all services.
 */
export const SERVICES: readonly { readonly faces: readonly string[]; readonly mayName: RegExp }[] = [
  {
    faces: ['#tables', '#wire/table'],
    mayName: /^packages\/(?:wire\/table|server\/services\/table|cli\/store-task)\//,
  },
  {
    faces: ['#queues', '#wire/queue'],
    mayName: /^packages\/(?:wire\/queue|server\/services\/queue|cli\/store-task)\//,
  },
  {
    faces: ['#blobs', '#wire/blob'],
    mayName: /^packages\/(?:wire\/blob|server\/services\/blob|cli\/store-task)\//,
  },
];

/** For one package: a folder, or a file at the package's top, and what it may import of these. */
export type Rooms = Readonly<Record<string, readonly string[]>>;

/** All entries above it. */
const ABOVE = 'above';
type Listed = Readonly<Record<string, readonly string[] | typeof ABOVE>>;

/**
 * Each entry names only entries above it, so that there are no cycles. `.` is every file at the package's top that has
 * no entry of its own, such as `index.ts`.
 */
const LISTED: Readonly<Record<string, Listed>> = {
  'packages/patterns': {
    values: [],
    concurrency: [],
    model: ['values'],
    transport: ['values', 'concurrency'],
    repo: ABOVE,
    sas: ['values', 'concurrency', 'model'],
    flows: ['values', 'concurrency', 'model', 'transport', 'repo'],
    encryption: ['values', 'concurrency', 'model', 'transport', 'repo'],
    shapes: ['values', 'concurrency', 'model', 'transport', 'repo'],
    logbook: ['values', 'concurrency', 'transport', 'repo'],
    rolling: ['values', 'concurrency', 'model', 'transport', 'repo'],
    derived: ['values', 'concurrency', 'model', 'transport', 'repo', 'flows'],
    '.': ABOVE,
  },
  'packages/patterns/model': {
    keys: [],
    '.': ['keys'],
    filter: ['keys', '.'],
  },
  'packages/patterns/transport': {
    '.': [],
    messages: ['.'],
  },
  'packages/patterns/repo': {
    'optimistic.ts': [],
    'find-row.ts': [],
    'tick-clock.ts': [],
    read: ['optimistic.ts', 'find-row.ts'],
    write: ['optimistic.ts', 'find-row.ts', 'read'],
    bulk: ['optimistic.ts', 'tick-clock.ts', 'read', 'write'],
    'open.ts': ['write'],
  },
  'packages/patterns/derived': {
    near: [],
    remote: ['near'],
    audit: ['near', 'remote'],
    lists: ['audit'],
    copies: ['audit'],
  },
  'packages/patterns/shapes': {
    '.': [],
    large: ['.'],
    series: [],
    wide: ['.'],
  },
  'packages/store-lmdb': {
    lmdb: [],
    layout: ['lmdb'],
    'overlay.ts': ['layout'],
    wal: ABOVE,
    pages: ['lmdb', 'layout'],
    scan: ['lmdb', 'layout', 'overlay.ts'],
    content: ['lmdb'],
    'environment.ts': ['lmdb', 'layout', 'wal'],
    commit: ['lmdb', 'layout', 'overlay.ts', 'wal', 'scan', 'environment.ts'],
    check: ['lmdb', 'layout', 'wal', 'content', 'environment.ts'],
    '.': ABOVE,
  },
  'packages/store-cassandra': {
    layout: [],
    'place.ts': [],
    'retry.ts': [],
    'live-members.ts': [],
    'owners.ts': ['live-members.ts'],
    session: ['layout'],
    commit: ['layout', 'session'],
    'members.ts': ['layout', 'live-members.ts', 'session'],
    scan: ['layout', 'session', 'commit'],
    content: ['layout', 'session', 'members.ts'],
    'ticks.ts': ['layout', 'commit'],
    'catalog.ts': ['layout', 'commit', 'ticks.ts'],
    'cassandra-peers.ts': ['layout', 'live-members.ts', 'owners.ts', 'commit', 'members.ts'],
    '.': ABOVE,
  },
  'packages/tables': {
    'table-error.ts': [],
    'table-space.ts': ['table-error.ts'],
    entity: [],
    filter: ['table-error.ts', 'entity'],
    'operation.ts': ['entity', 'filter'],
    'outcome.ts': ['entity', 'operation.ts'],
    'limits.ts': ['table-error.ts', 'entity', 'operation.ts'],
    operations: ABOVE,
    '.': ABOVE,
  },
  'packages/blobs': {
    'blob-error.ts': [],
    'contests.ts': [],
    'background-work.ts': ['contests.ts'],
    values: ['blob-error.ts'],
    'limits.ts': ['blob-error.ts', 'values'],
    'operation.ts': ['values'],
    'outcome.ts': ['values', 'operation.ts'],
    rows: ['blob-error.ts', 'values'],
    'blob-context.ts': ['background-work.ts'],
    body: ['blob-error.ts', 'contests.ts', 'outcome.ts', 'rows', 'blob-context.ts'],
    operations: [
      'blob-error.ts',
      'contests.ts',
      'values',
      'limits.ts',
      'operation.ts',
      'outcome.ts',
      'rows',
      'blob-context.ts',
      'body',
    ],
    '.': ABOVE,
  },
  'packages/wire': {
    shared: [],
    auth: ['shared'],
    table: ['shared'],
    queue: ['shared'],
    blob: ['shared'],
    '.': ABOVE,
  },
  'packages/server': {
    observe: [],
    auth: [],
    peers: ['observe', 'auth'],
    frame: ABOVE,
    services: ABOVE,
    '.': ABOVE,
  },
  'packages/data-tools': {
    line: [],
    source: ['line'],
    azurite: ['source'],
    progress: ['source'],
    formats: ['line', 'source'],
    run: ['line', 'source', 'progress'],
    write: ['line', 'source', 'progress', 'run'],
    blobs: ['source'],
    queues: ['source'],
    contents: ['source', 'run', 'blobs', 'queues'],
    dump: ['line', 'source', 'progress', 'formats', 'run', 'blobs', 'queues', 'contents', 'azurite'],
    load: ['line', 'source', 'progress', 'formats', 'run', 'dump', 'write', 'contents'],
    copy: ['source', 'run', 'dump', 'load', 'contents'],
    diff: ['line', 'source', 'progress', 'run', 'dump'],
    explain: ['source'],
    stats: ['line', 'source'],
    advise: ['line', 'stats'],
    import: ['line', 'source', 'run', 'load', 'azurite', 'blobs', 'queues', 'contents'],
    sas: ['source'],
    account: ['source', 'run'],
    survey: ['line', 'source', 'run', 'stats', 'advise'],
    '.': ABOVE,
  },
  'packages/explorer': {
    model: [],
    server: ['model'],
    page: ['model'],
    '.': ['server'],
  },
  'packages/cli': {
    'fail.ts': [],
    options: ['fail.ts'],
    'store-task': [],
    'ready.ts': [],
    cluster: ['fail.ts', 'ready.ts'],
    'data-tools': ['options'],
    account: ['fail.ts', 'options', 'data-tools'],
    explorer: ['fail.ts', 'options', 'ready.ts', 'data-tools'],
    '.': ABOVE,
  },
  bench: {
    'places.ts': [],
    load: [],
    subjects: ['places.ts', 'load'],
    'report.ts': ['subjects'],
    cassandra: ['load', 'subjects', 'report.ts'],
    '.': ['places.ts', 'load', 'subjects', 'report.ts', 'cassandra'],
  },
};

const roomsOf = (listed: Listed): Rooms =>
  Object.fromEntries(
    Object.entries(listed).map(([name, allowed], at, all) => {
      const above = all.slice(0, at).map(([each]) => each);
      return [name, allowed === ABOVE ? above : allowed];
    }),
  );

export const ROOMS: Readonly<Record<string, Rooms>> = Object.fromEntries(
  Object.entries(LISTED).map(([name, listed]) => [name, roomsOf(listed)]),
);

/** Files of tests, for tests: no program imports them, and they may import whatever they need. */
export const TESTING = 'testing';

/** The entry of the table for a file of the package, whose path begins below it. */
export function roomOf(rooms: Rooms, path: string): string {
  const [first = '', ...rest] = path.split('/');
  return rest.length > 0 || first in rooms ? first : '.';
}

/** Faults of a table itself: entries that name something not above them. */
export function faultsOf(rooms: Rooms): readonly string[] {
  const names = Object.keys(rooms);
  return Object.entries(rooms).flatMap(([name, allowed], at) =>
    allowed.filter(each => !names.slice(0, at).includes(each)).map(each => `${name} -> ${each}`),
  );
}
