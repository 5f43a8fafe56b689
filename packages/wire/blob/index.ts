// The public face of the Blob service's wire: targets, operations, XML documents, errors. request/ parses what clients send, xml/ has the
// documents.
export * from './batch.js';
export * from './blob-error-table.js';
export type { Overrides } from './blob-headers.js';
export * from './blob-operation-kind.js';
export * from './blob-route.js';
export * from './copy-source.js';
export * from './format-blob-error.js';
export * from './format-blob-outcome.js';
export { formatLongList, isLongList } from './format-blob-outcome.js';
export * from './parse-blob-operation.js';
export type { Asked, CopySource } from './request/asked.js';
export { flagOf, type Headers } from './request/header-values.js';
export { isStructured, STRUCTURED_FORM, wrapped, wrappedLength } from './request/structured-body.js';
export { namesTagsOfSource } from './request/tags.js';
export { digestsSent, type IncomingBody, tellsMd5 } from './request/uploads.js';
export * from './xml/user-delegation-key-xml.js';
