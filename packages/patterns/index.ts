// What an application imports: a typed model of Azure Tables over the official client, where a definition of an entity says how its values become keys
// and properties, and repositories read and write rows by it. It knows nothing of a server of ours. What not every application needs is in entries of its own, so that it weighs
// nothing in others' bundles: audit.ts, bulk.ts, fan-out.ts, filters.ts, joins.ts, mixed.ts. internals.ts is for tests, and is not published.
//
// Where to begin: repo/open.ts opens a database, model/entity.ts defines an entity, repo/read/query.ts and repo/write/repo.ts read and write rows. The rooms, each of which imports
// only rooms of lower floors (test/structure/rooms.ts):
//   1  values/       what a property is: types, its form on the wire, sizes, and the errors that everything throws
//      concurrency/  steps at once, pauses, time and chance
//   2  model/        entities: definition, encoding, decoding, versions; keys/ with their codecs; filter/ with conditions and what each makes the service do
//      transport/    requests to the service, and what its refusals mean; messages/ to flows
//   3  repo/         repositories: read/, write/, bulk/ changes
//      sas/          signatures that are as wide as a partition or a range of keys
//   4  flows/        eventually consistent transactions by messages
//      shapes/       values in several rows or in a blob: wide/, series/, large/
//      encryption/   properties that only the program can read
//      logbook/      lines in append blobs
//      rolling/      a table for each span of time
//   5  derived/      what follows from rows: indexes, near/ and remote/, lists/, copies/, and the audit/ of all
//   6  the entries, one file each: what is not in index.ts weighs nothing in others' bundles
// testing/ is what the tests of these share; it is not published.
//
// Entries export the types that compilers write into the declarations of programs (test/patterns/slow/declarations.test.ts) and few others: options are `Parameters` of what takes them.

export type { Bag } from './model/bag.js';

export type { AnyEntity, Entity, Index, KeyOf, NewOf, Of, PartitionOf } from './model/definition.js';
export { entity } from './model/entity.js';
export type { Plan } from './model/filter/plan.js';
export type { IndexEntity } from './model/index-plan.js';
export { type DescendingPart, type Key, key, type Part, type PropertyPart, part } from './model/keys/key.js';
export { codec, type DescendingCodec, type Hashable, type KeyCodec } from './model/keys/key-codec.js';
export { remove } from './model/patch.js';
export type { RowRef, Stored, StoredOf } from './model/stored.js';
export { type Db, open } from './repo/open.js';
export type { PartitionQuery } from './repo/read/partition-query.js';
export type { Query, Selected } from './repo/read/query.js';
export type { ManyOptions, Reads } from './repo/read/reads.js';
export type { Page, Results } from './repo/read/results.js';
export type {
  VerifiedPartition,
  VerifiedQuery,
  VerifiedReads,
} from './repo/read/verified-reads.js';
export { TickClock } from './repo/tick-clock.js';
export type { Batch } from './repo/write/batch.js';
export type { WriteResult } from './repo/write/planned-write.js';
export type { Repo } from './repo/write/repo.js';
export type { ServiceOptions } from './repo/write/service.js';
export { Instant } from './values/instant.js';
export { type AnyPatternError, PatternError, type PatternErrorCode } from './values/pattern-error.js';
export { type Flat, type Property, t } from './values/property.js';
export type { StandardSchema } from './values/standard-schema.js';
