// Small parts that every package may use, independent of Azure, stores and sockets: the clock, turns of the event loop, texts, dates, maps,
// histograms, sums of bytes, buffers for answers, and a request and its response as plain values. A part that only one package needs belongs to that package.
export * from './crc64.js';
export * from './detached-text.js';
export * from './guid.js';
export * from './histogram.js';
export * from './loopback.js';
export * from './next-turn.js';
export * from './ordered-map.js';
export * from './output.js';
export * from './piece-buffer.js';
export * from './semaphore.js';
export * from './streamed-bytes.js';
export * from './time.js';
export * from './wire-request.js';
