// What an application imports: a typed model of Azure Tables over the official client, where a definition of an entity says how its values become keys
// and properties, and repositories read and write rows by it. It knows nothing of a server of ours. What not every application needs is in entries of its own, so that it weighs
// nothing in others' bundles: audit.ts, bulk.ts, filters.ts, joins.ts, mixed.ts. Tools find the parts below them in internals.ts.
//
// Where to begin: open.ts is the door, model/entity.ts the definition, read/query.ts and write/repo.ts what is done with rows. The folders, each of which
// may import those before it (test/structure/rooms.ts):
//   values/     what a property is: types, its form on the wire, sizes, and the errors that everything throws
//   concurrency/  steps at once, pauses, time and chance
//   keys/       definitions of keys, their codecs and ranges
//   model/      entities: definition, encoding, decoding, versions
//   filter/     conditions: as values, as text, evaluated, and what each makes the service do
//   transport/  requests to the service, and what its refusals mean
//   read/       queries and their results, links, lookups, many partitions at once
//   indexes/    rows of secondary indexes, as a write of their entity's row changes them
//   write/      repositories, batches, and what became of a write whose answer was lost
//   bulk/       many changes: in batches, by partition
//   audit/      what follows from rows, compared with what stands in the table
//   testing/    what the tests of these share; not published

export type { Surroundings } from './concurrency/surroundings.js';
export { TickClock, type TickClockOptions } from './concurrency/tick-clock.js';
export type { Admission } from './filter/admit.js';
export type { Classification, KeyBounds, QueryClass } from './filter/classify.js';
export type { Comparison, Condition, Operand } from './filter/condition.js';
export type { Plan } from './filter/plan.js';
export type { Clause, Equality, Fields, Order, TextOrder } from './filter/where.js';
export type { PartBounds, Values } from './keys/compiled-key.js';
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
} from './keys/key.js';
export {
  type CodecFor,
  codec,
  type DescendingCodec,
  type Hashable,
  type KeyCodec,
} from './keys/key-codec.js';
export type { KeyRange, Point } from './keys/key-range.js';
export type { Bag } from './model/bag.js';
export type { DriftPolicy, FoundDrift } from './model/drift.js';
export {
  type AnyEntity,
  type Entity,
  type EntityPlan,
  type EntitySpec,
  entity,
  type Field,
  type KeyOf,
  type NewOf,
  type Of,
  type PartitionOf,
  type RowLead,
  type RowOf,
  type Upcast,
} from './model/entity.js';
export type {
  Index,
  IndexEntity,
  Indexes,
  IndexesOf,
  IndexKeyNames,
  IndexKeyOn,
  IndexName,
  IndexPlan,
  IndexReason,
  IndexSpec,
  IndexSpecs,
  IndexState,
  LocalIndexName,
  LocalIndexSpec,
  NoIndexes,
  ReadyIndexName,
  RemoteIndexName,
  RemoteIndexSpec,
} from './model/index-plan.js';
export { type GivenPatch, type KeyStays, type PatchOf, type Remove, remove } from './model/patch.js';
export type { BareKey, Projected, RowRef, Stored, StoredOf } from './model/stored.js';
export type { UnreadablePolicy, UnreadableRow } from './model/unreadable.js';
export { type Db, open } from './open.js';
export type { FanOutOptions, FanOutOrder } from './read/fan-out.js';
export type {
  BoundsAfter,
  LatestOptions,
  LogTail,
  PartitionQuery,
  RowBounds,
} from './read/partition-query.js';
export type {
  Filtered,
  Query,
  Scanning,
  Selected,
  StaticClass,
  TableScan,
} from './read/query.js';
export type { ManyOptions, Reads } from './read/reads.js';
export {
  PAGE_SIZE_MAX,
  type Page,
  type PageOptions,
  type ReadingOptions,
  type Results,
} from './read/results.js';
export type { QueryOptions, QuerySettings } from './read/table-query.js';
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
export type { Batch, Committed } from './write/batch.js';
export type { Change } from './write/mutate.js';
export type { OperationId, OperationIdOptions } from './write/operation-id.js';
export type { Deletable, Merged, PatchInto, Target, WriteName, WriteResult } from './write/operations.js';
export type { BatchResults } from './write/planned-batch.js';
export type { DeleteOptions, MutateOptions, Repo, RepoOptions } from './write/repo.js';
export type { ServiceOptions } from './write/service.js';
export { OUTDATED_ETAG } from './write/settled-writes.js';
