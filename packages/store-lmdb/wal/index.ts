// The door of the write-ahead log: what is outside of this folder knows only this file.
//
//   WriteAheadLog      appends batches and syncs them; a checkpoint later puts them into the tree
//   RecordDraft        the changes of a batch, encoded as they are decided
//   LogClaim           which process may use the log, and the replay at the next start
//   readOwnLog …       what check and backup need, which look at a log that others may be using
//
// It buys one sync of a small sequential write for a batch, where a transaction of LMDB has two and writes whole pages
// in random order (docs/write-ahead-log.md has the figures). Why it is safe: a record counts only if its checksum, its
// epoch and its place among the records before it are right, so a torn or foreign one ends the log; the user checks
// the fence after each sync, before anybody is answered; the tree takes batches in order, each only on the one before.
// A damaged or missing log is an error at start, never an empty one. A write that fails ends the use of the log:
// everything goes on in transactions. A store without an exclusive directory, or with `durability: 'none'`, never
// begins one.

export { changeBytesMax, RecordDraft } from './log-file.js';
export type { LogRecord } from './read-log.js';
export { LogClaim, readOwnLog, replayRecords, unreadRecords } from './recovery.js';
export { type Appended, type Failure, RECORD_BYTES_MAX, WriteAheadLog } from './write-ahead-log.js';
