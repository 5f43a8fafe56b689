// What every package may use, and nothing that knows of Azure, of a store or of a socket: the clock, texts, dates, maps, counters,
// memory for answers, and a request and its response as plain values. It stays small: what only one package needs belongs there.
export * from './clock.js';
export * from './date-time.js';
export * from './detached-string.js';
export * from './histogram.js';
export * from './memo.js';
export * from './output.js';
export * from './sorted-map.js';
export * from './wire-request.js';
