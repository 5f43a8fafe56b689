// An HTTP/1.1 server on node:net: heads and bodies in, responses out, with bounds on time, connections and memory. It knows nothing of
// Azure. Begin at listen.ts, which opens a port; connection.ts is the life of one connection.
export * from './listen.js';
