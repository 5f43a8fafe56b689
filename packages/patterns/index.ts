// What the package gives to its users.
export { type Bag, type BagOptions, decodeBag, encodeBag } from './bag.js';
export { checkTable } from './check-table.js';
export { CompiledKey, type KeyRange, type PartBounds, type Values } from './compiled-key.js';
export {
  type DecodeOptions,
  decodeEntity,
  decodeProjected,
  refuseNewer,
  wireSelect,
} from './decode-entity.js';
export { decodeMixed, type Mixed, type MixedOptions, type Named } from './decode-mixed.js';
export type { TypedValue } from './decode-property.js';
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
export { Instant } from './instant.js';
export { type Key, type KeyOn, type KeyPart, key, type Part, part } from './key.js';
export { codec, type Hashable, type KeyCodec } from './key-codec.js';
export {
  type Drift,
  PatternError,
  type PatternErrorCode,
  type PatternErrorDetails,
  type RowAddress,
  type SizeLimit,
} from './pattern-error.js';
export { type Property, type Props, type Row, t, type ValueOf } from './property.js';
export { readPage, readRow, type WireObject, type WireValue } from './read-wire.js';
export type { RowWrite } from './row-write.js';
export { NoAnswer, Sender, type SenderOptions, type TablesConnection } from './sender.js';
export type { OutputOf, SchemaIssue, SchemaResult, StandardSchema } from './standard-schema.js';
export { instantOfEtag, type Projected, type Stored } from './stored.js';
export {
  type PageAnswer,
  type PageRequest,
  type PageStart,
  type ReadOptions,
  type RowAnswer,
  TableRequests,
  type WriteAnswer,
} from './table-requests.js';
export { TickClock, type TickClockOptions } from './tick-clock.js';
export { formatTag, parseTag, type TypeTag } from './type-tag.js';
export { type WireProperty, type WireRow, wireText } from './wire-property.js';
