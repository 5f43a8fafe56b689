// What the package gives to its users.

export type { Admission } from './admit.js';
export { type Bag, type BagOptions, decodeBag, encodeBag } from './bag.js';
export { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, Batch, type BatchResults } from './batch.js';
export type { WriterOptions } from './batch-writer.js';
export { change, type RowChange } from './change.js';
export { checkTable } from './check-table.js';
export {
  ALTERNATIVES_MAX,
  type Classification,
  COMPARISONS_MAX,
  classify,
  type KeyBounds,
  type Point,
  type QueryClass,
} from './classify.js';
export { CompiledKey, type KeyRange, type PartBounds, type Values } from './compiled-key.js';
export type { Comparison, Condition, Operand } from './condition.js';
export {
  type DecodeOptions,
  decodeEntity,
  decodeProjected,
  refuseNewer,
  wireSelect,
} from './decode-entity.js';
export { decodeMixed, type Mixed, type MixedOptions, type Named } from './decode-mixed.js';
export type { TypedValue } from './decode-property.js';
export type { DeletableRows, DeleteProgress, DeleteRowsOptions } from './delete-rows.js';
export type { DriftPolicy, FoundDrift } from './drift.js';
export type { BagValue, EdmType } from './edm.js';
export { type EncodedRow, type EncodeOptions, encodeEntity, encodePatch } from './encode-entity.js';
export { encodeProperty } from './encode-property.js';
export {
  type AnyEntity,
  type Entity,
  type EntityPlan,
  type EntitySpec,
  entity,
  type Field,
  type KeyOf,
  type Of,
  type PartitionOf,
  type PatchOf,
  type RowLead,
  type RowOf,
  type Upcast,
} from './entity.js';
export { evaluate, type RowReader, readerOf } from './evaluate.js';
export { explainFilter, type FilterPlan } from './explain-filter.js';
export type { FanOutOptions, FanOutOrder } from './fan-out.js';
export { formatFilter, formatLiteral } from './format-filter.js';
export { Instant } from './instant.js';
export { type Key, type KeyOn, type KeyPart, key, type Part, part } from './key.js';
export { codec, type Hashable, type KeyCodec } from './key-codec.js';
export { type Link, type LinkTarget, link, linkMany, type ManyLink, type ReadsByEntity } from './link.js';
export { type Cached, type JoinOptions, Lookup, type LookupOptions } from './lookup.js';
export type { MixedReads, MixedRow, UnknownRow } from './mixed.js';
export type { Change } from './mutate.js';
export { Db, open } from './open.js';
export type { Mark, MarkOptions } from './operation-mark.js';
export { FILTER_DEPTH_MAX, parseFilter } from './parse-filter.js';
export type { LatestOptions, PartitionQuery, RowBounds } from './partition-query.js';
export {
  type Drift,
  PatternError,
  type PatternErrorCode,
  type PatternErrorDetails,
  type RowAddress,
  type SizeLimit,
} from './pattern-error.js';
export type { Plan } from './plan.js';
export { type Property, type Props, type Row, t, type ValueOf } from './property.js';
export type { Query, QueryOptions, QuerySettings, Selected, StaticClass, TableScan } from './query.js';
export { readPage, readRow, type WireObject, type WireValue } from './read-wire.js';
export type { ManyOptions, Reads } from './reads.js';
export { type DeleteOptions, type MutateOptions, Overwrite, Repo, type RepoOptions } from './repo.js';
export type { PageStart, RowSource } from './row-source.js';
export type { RowWrite } from './row-write.js';
export { PAGE_SIZE_MAX, type Page, type PageOptions, type ReadingOptions, type Run } from './run.js';
export { satisfies } from './satisfies.js';
export { Sender, type SenderOptions, type TablesConnection } from './sender.js';
export { connect, type Service, type ServiceOptions } from './service.js';
export { OUTDATED_ETAG } from './settled-writes.js';
export type { OutputOf, SchemaIssue, SchemaResult, StandardSchema } from './standard-schema.js';
export { instantOfEtag, type Projected, type Stored } from './stored.js';
export type { Surroundings } from './surroundings.js';
export {
  type PageAnswer,
  type PageRequest,
  type ReadOptions,
  type RowAnswer,
  TableRequests,
} from './table-requests.js';
export { TickClock, type TickClockOptions } from './tick-clock.js';
export { formatTag, parseTag, type TypeTag } from './type-tag.js';
export { Clause, type Equality, type Fields, fieldsOf, type Order, type TextOrder } from './where.js';
export { type WireProperty, type WireRow, wireText } from './wire-property.js';
export type { WriteReport } from './write-load.js';
