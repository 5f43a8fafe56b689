// The parts of the library that its tests use, such as encoders, the parser of filters and single requests. It is not published.

export { decodeBag, encodeBag } from './model/bag.js';
export { decodeEntity, decodeProjected, wireSelect } from './model/decode-entity.js';
export { decodeMixed } from './model/decode-mixed.js';
export { encodeEntity, encodePatch } from './model/encode-entity.js';
export { classify } from './model/filter/classify.js';
export { evaluate } from './model/filter/evaluate.js';
export { formatFilter } from './model/filter/format-filter.js';
export { encodeIndexRow, expectedIndexRow } from './model/index-row.js';
export { CompiledKey } from './model/keys/compiled-key.js';
export { refuseNewer } from './model/refuse-newer.js';
export { Reservations } from './repo/indexes/reserve.js';
export { Lookup } from './repo/read/lookup.js';
export { connect } from './repo/write/connect.js';
export { OPERATIONS } from './repo/write/operations.js';
export { Sender } from './transport/sender.js';
export { TableRequests } from './transport/table-requests.js';
export { instantOfEtag } from './values/instant.js';
export { readRow, type WireObject } from './values/read-wire.js';
export { encodeProperty, type WireProperty, type WireRow, wireText } from './values/wire-property.js';
