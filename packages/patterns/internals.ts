// What tools import besides index.ts, as `shelfmark-patterns/internals`: the parts that the library is made of, such as encoders, the parser of filters and
// single requests. They may change in any release; what index.ts exports does not.

export { decodeBag, encodeBag } from './model/bag.js';
export { type DecodeOptions, decodeEntity, decodeProjected, wireSelect } from './model/decode-entity.js';
export { decodeMixed } from './model/decode-mixed.js';
export { type EncodedRow, type EncodeOptions, encodeEntity, encodePatch } from './model/encode-entity.js';
export { ALTERNATIVES_MAX, COMPARISONS_MAX, classify } from './model/filter/classify.js';
export { evaluate, type RowReader } from './model/filter/evaluate.js';
export { formatFilter, formatLiteral } from './model/filter/format-filter.js';
export { FILTER_DEPTH_MAX, parseFilter } from './model/filter/parse-filter.js';
export { readerOf } from './model/filter/row-reader.js';
export { fieldsOf } from './model/filter/where.js';
export { encodeIndexRow, expectedIndexRow } from './model/index-row.js';
export { CompiledKey } from './model/keys/compiled-key.js';
export { refuseNewer } from './model/refuse-newer.js';
export { formatTag, parseTag, type TypeTag } from './model/type-tag.js';
export { Reservations } from './repo/indexes/reserve.js';
export { Lookup } from './repo/read/lookup.js';
export { connect } from './repo/write/connect.js';
export { OPERATIONS } from './repo/write/operations.js';
export type { Service } from './repo/write/service.js';
export type { PageStart, RowSource } from './transport/row-source.js';
export type { RowWrite } from './transport/row-write.js';
export { Sender } from './transport/sender.js';
export {
  type PageAnswer,
  type PageRequest,
  type RowAnswer,
  TableRequests,
} from './transport/table-requests.js';
export { encodeProperty } from './values/encode-property.js';
export { instantOfEtag } from './values/instant.js';
export { readPage, readRow, type WireObject, type WireValue } from './values/read-wire.js';
export { type WireProperty, type WireRow, wireText } from './values/wire-property.js';
