// An HTTP/1.1 server on node:net and node:tls: reads requests, hands them on as plain values, writes the answers;
// bounds time, connections and memory. It knows nothing of the services behind it: their limits come in as options.
// Start with listen.ts, which opens a port; connection.ts has one connection.
export * from './listen.js';
