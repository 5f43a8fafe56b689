// The public face of the Blob service's wire: targets, operations, XML documents, errors. request/ parses what clients send, xml/ has the
// documents.
export * from './batch.js';
export type { Overrides } from './blob-headers.js';
export * from './blob-route.js';
export * from './copy-source.js';
export * from './format-blob-error.js';
export * from './format-blob-outcome.js';
export * from './parse-blob-operation.js';

export { namesTagsOfSource } from './request/content-headers.js';
export { flagOf, type Headers } from './request/header-values.js';
export {
  digestsSent,
  type IncomingBody,
  isStructured,
  STRUCTURED_FORM,
  tellsMd5,
  wrapped,
  wrappedLength,
} from './request/uploads.js';
export * from './xml/user-delegation-key-xml.js';
