// The public face of what the wires of all services share, signatures among it. Each service's own face is that of its folder: `#wire/table`, `#wire/queue`.

export * from './auth/blob-sas.js';
export * from './auth/sas.js';
export * from './auth/shared-key.js';
export * from './auth/table-sas.js';
export * from './shared/answer.js';
export * from './shared/cors.js';
export * from './shared/error-table.js';
export { type StorageAnswer, storageAnswer } from './shared/storage-exchange.js';
export * from './shared/target.js';
export { escapeXml, parseXml, type XmlElement } from './shared/xml.js';
