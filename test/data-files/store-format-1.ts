// The contents of test/fixtures/store-format-1 as code: the answers that a store of that form must always give. It is
// never changed; another format gets another fixture.
import type { ServiceProperties, SignedIdentifier } from '#account';
import type { Property } from '#tables';

/** Every change is one tick later than the one before. */
export const START = 17_000_000_000_000_000n;
export const ACCOUNT = 'devstoreaccount1';

export interface FixtureEntity {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** The tick of its last change. */
  readonly version: bigint;
  readonly properties: readonly Property[];
}

const BOUNDS: readonly Property[] = [
  { name: 'String', type: 'Edm.String', value: 'Köln "am" Rhein\\\n\u0000\ud83c\udf4e\ud800' },
  { name: 'Int32', type: 'Edm.Int32', value: -2_147_483_648 },
  { name: 'Int64', type: 'Edm.Int64', value: -9_223_372_036_854_775_808n },
  { name: 'Double', type: 'Edm.Double', value: 1.7976931348623157e308 },
  { name: 'Boolean', type: 'Edm.Boolean', value: true },
  { name: 'DateTime', type: 'Edm.DateTime', value: -116_444_736_000_000_000n },
  { name: 'Guid', type: 'Edm.Guid', value: '00112233-4455-6677-8899-aabbccddeeff' },
  { name: 'Binary', type: 'Edm.Binary', value: Buffer.from([0, 1, 127, 128, 255]) },
];

const PLAIN: readonly Property[] = [
  { name: 'Größe', type: 'Edm.Double', value: -0 },
  { name: 'String', type: 'Edm.String', value: '' },
  { name: 'Double', type: 'Edm.Double', value: Number.NaN },
  { name: 'Int32', type: 'Edm.Int32', value: 2_147_483_647 },
  { name: 'Int64', type: 'Edm.Int64', value: 9_223_372_036_854_775_807n },
  { name: 'Boolean', type: 'Edm.Boolean', value: false },
  { name: 'DateTime', type: 'Edm.DateTime', value: 17_319_744_001_234_567n },
  { name: 'Binary', type: 'Edm.Binary', value: Buffer.alloc(0) },
];

const LONGEST = '\uffff'.repeat(1024);
/** The longest row that is stored under its whole key: 3072 bytes, a terminator, 944 bytes. */
const LONGEST_INLINE = `${'\uffff'.repeat(314)}é`;
const number = (value: number): Property => ({ name: 'n', type: 'Edm.Int32', value });

/** The tables of `ACCOUNT` under the names in which they were created, each with its entities in order. */
export const TABLES: ReadonlyMap<string, readonly FixtureEntity[]> = new Map([
  ['Empty', []],
  [
    'LongKeys',
    [
      { partitionKey: LONGEST, rowKey: LONGEST_INLINE, version: START + 6n, properties: [number(1)] },
      { partitionKey: LONGEST, rowKey: LONGEST, version: START + 7n, properties: [number(2)] },
      { partitionKey: LONGEST, rowKey: `${LONGEST.slice(1)}\ue000`, version: START + 8n, properties: [] },
    ].toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1)),
  ],
  [
    'Types',
    [
      { partitionKey: '', rowKey: '', version: START + 9n, properties: [number(3)] },
      { partitionKey: 'p', rowKey: 'bounds', version: START + 4n, properties: BOUNDS },
      { partitionKey: 'p', rowKey: 'plain', version: START + 5n, properties: PLAIN },
      {
        partitionKey: 'ö',
        rowKey: "it's",
        version: START + 10n,
        properties: [{ name: 'text', type: 'Edm.String', value: 'x'.repeat(20_000) }],
      },
    ],
  ],
]);

export const IDENTIFIERS: readonly SignedIdentifier[] = [
  { id: 'öffentlich', policy: { start: START, expiry: START + 864_000_000_000n, permission: 'raud' } },
  { id: 'empty', policy: undefined },
];

export const SERVICE_PROPERTIES: ServiceProperties = {
  logging: { version: '1.0', read: true, write: false, delete: true, retentionDays: 5 },
  hourMetrics: { version: '1.0', enabled: true, includeApis: true, retentionDays: 7 },
  minuteMetrics: { version: '1.0', enabled: false, includeApis: false, retentionDays: undefined },
  cors: [
    {
      allowedOrigins: ['https://example.org', '*'],
      allowedMethods: ['GET', 'MERGE'],
      allowedHeaders: ['x-ms-*'],
      exposedHeaders: [],
      maxAgeSeconds: 60,
    },
  ],
};

/** A table with only its rows left. */
export const DROPPED_ROWS = 40;
/** In addition to the tables of `ACCOUNT`. */
export const OTHER_ACCOUNT = 'other';
export const HELD_NAME = 'held';
