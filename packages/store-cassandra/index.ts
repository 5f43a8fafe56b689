// The engine on Apache Cassandra: several front ends, several machines. Begin with cassandra-store.ts; layout/schema.ts has the tables, commit/ how a commit is one
// conditional write, scan/ how spaces are walked, session/ the door to the driver.
export { cassandraEngine } from './cassandra-engine.js';
