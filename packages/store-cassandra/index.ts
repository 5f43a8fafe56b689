// The engine on Apache Cassandra: several front ends, several machines. Start with cassandra-store.ts; layout/schema.ts
// has the tables, commit/ how a commit becomes one conditional write, scan/ how spaces are walked, session/ the only
// code that uses the driver.
export { cassandraEngine } from './cassandra-engine.js';
