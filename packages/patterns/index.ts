// What an application imports: a typed model of Azure Tables over the official client, where a definition of an entity says how its values become keys
// and properties, and repositories read and write rows by it. It knows nothing of a server of ours. What not every application needs is in entries of its own, so that it weighs
// nothing in others' bundles: audit.ts, bulk.ts, filters.ts, joins.ts, mixed.ts. internals.ts is for tests, and is not published.
//
// Where to begin: repo/open.ts opens a database, model/entity.ts defines an entity, repo/read/query.ts and repo/write/repo.ts read and write rows. The rooms, each of which imports
// only rooms of lower floors (test/structure/rooms.ts):
//   1  values/       what a property is: types, its form on the wire, sizes, and the errors that everything throws
//      concurrency/  steps at once, pauses, time and chance
//   2  model/        entities: definition, encoding, decoding, versions; keys/ with their codecs; filter/ with conditions and what each makes the service do
//      transport/    requests to the service, and what its refusals mean; messages/ to flows
//   3  repo/         repositories: read/, write/, the rows of indexes/, bulk/ changes
//      sas/          signatures that are as wide as a partition or a range of keys
//   4  flows/        eventually consistent transactions by messages
//      shapes/       values in several rows or in a blob: wide/, series/, large/
//      encryption/   properties that only the program can read
//      logbook/      lines in append blobs
//      rolling/      a table for each span of time
//   5  derived/      what follows from rows: remote/ indexes, lists/, copies/, and the audit/ of all
//   6  the entries, one file each: what is not in index.ts weighs nothing in others' bundles
// testing/ is what the tests of these share; it is not published.

export type { Surroundings } from './concurrency/surroundings.js';
export type { Bag } from './model/bag.js';
export type {
  AnyEntity,
  Entity,
  EntityPlan,
  Field,
  Index,
  Indexes,
  IndexPlan,
  IndexState,
  KeyOf,
  NewOf,
  Of,
  PartitionOf,
  RowLead,
  RowOf,
  Upcast,
} from './model/definition.js';
export type { DriftPolicy, FoundDrift } from './model/drift.js';
export { type EntitySpec, entity } from './model/entity.js';
export type { Admission } from './model/filter/admit.js';
export type { Classification, KeyBounds, QueryClass } from './model/filter/classify.js';
export type { Comparison, Condition, Operand } from './model/filter/condition.js';
export type { Plan } from './model/filter/plan.js';
export type { Clause, Equality, Fields, Order, TextOrder } from './model/filter/where.js';
export type {
  IndexEntity,
  IndexesOf,
  IndexKeyNames,
  IndexKeyOn,
  IndexName,
  IndexReason,
  IndexSpec,
  IndexSpecs,
  LocalIndexName,
  LocalIndexSpec,
  NoIndexes,
  ReadyIndexName,
  RemoteIndexName,
  RemoteIndexSpec,
} from './model/index-plan.js';
export type { PartBounds, Values } from './model/keys/compiled-key.js';
export {
  type DescendingPart,
  type Key,
  type KeyDefinition,
  type KeyMade,
  type KeyNames,
  type KeyOn,
  type KeyPart,
  type KeyParts,
  key,
  type Part,
  type PartNames,
  type PartOf,
  type PropertyPart,
  part,
} from './model/keys/key.js';
export {
  type CodecFor,
  codec,
  type DescendingCodec,
  type Hashable,
  type KeyCodec,
} from './model/keys/key-codec.js';
export type { KeyRange, Point } from './model/keys/key-range.js';
export { type GivenPatch, type KeyStays, type PatchOf, type Remove, remove } from './model/patch.js';
export type { BareKey, Projected, RowRef, Stored, StoredOf } from './model/stored.js';
export { type Db, open } from './repo/open.js';
export type { FanOutOptions, FanOutOrder } from './repo/read/fan-out.js';
export type {
  BoundsAfter,
  LatestOptions,
  LogTail,
  PartitionQuery,
  RowBounds,
} from './repo/read/partition-query.js';
export type {
  Filtered,
  Query,
  Scanning,
  Selected,
  StaticClass,
  TableScan,
} from './repo/read/query.js';
export type { ManyOptions, Reads } from './repo/read/reads.js';
export {
  PAGE_SIZE_MAX,
  type Page,
  type PageOptions,
  type ReadingOptions,
  type Results,
} from './repo/read/results.js';
export type { QueryOptions, QuerySettings } from './repo/read/table-query.js';
export type { UnreadablePolicy, UnreadableRow } from './repo/read/unreadable.js';
export { TickClock, type TickClockOptions } from './repo/tick-clock.js';
export type { Batch, Committed } from './repo/write/batch.js';
export type { Change } from './repo/write/mutate.js';
export type { OperationId, OperationIdOptions } from './repo/write/operation-id.js';
export type {
  Deletable,
  Merged,
  PatchInto,
  Target,
  WriteName,
  WriteResult,
} from './repo/write/operations.js';
export type { BatchResults } from './repo/write/planned-batch.js';
export type { DeleteOptions, MutateOptions, Repo, RepoOptions } from './repo/write/repo.js';
export type { ServiceOptions } from './repo/write/service.js';
export { OUTDATED_ETAG } from './repo/write/settled-writes.js';
export { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX } from './transport/batch-body.js';
export type { BlobsConnection, Clients, QueuesConnection, TablesConnection } from './transport/clients.js';
export type { SenderOptions } from './transport/sender.js';
export type { ReadOptions } from './transport/table-requests.js';
export type { EdmType } from './values/edm.js';
export { Instant } from './values/instant.js';
export {
  type AnyPatternError,
  type Drift,
  PatternError,
  type PatternErrorCode,
  type PatternErrorDetails,
  type Refused,
  type RowAddress,
  type SizeLimit,
} from './values/pattern-error.js';
export {
  type Filling,
  type GivenRow,
  type Presence,
  type Property,
  type Props,
  type Row,
  t,
  type Use,
  type ValueOf,
} from './values/property.js';
export type { OutputOf, SchemaIssue, SchemaResult, StandardSchema } from './values/standard-schema.js';
export type { BagValue, TypedValue } from './values/typed-value.js';
