// The tables of a keyspace, and the statements on them.
//
// `row` has the rows of all spaces. A partition of a space is a partition here, in which conditional writes are
// linearizable:
//
//   fence      the tick of the last commit: a commit's one condition is that the fence is as it was read
//   gaps       the tick of the last commit that changed its gaps; null where it never had one
//   kind 0     one row without a value, so that a read of missing keys gives the fence too
//   kind 1     the rows, and dead rows in place of deleted ones: version 0, and no value
//   kind 2     outcomes: rk is the id of a commit that happened; they expire
//   kind 3     gaps: there are neither rows nor dead rows from rk until value
//
// A delete of a row would be a tombstone, and a read that meets 100,000 of them fails. A dead row is read like any
// other, by pages; a long run of them is deleted as one range and recorded as a gap, so that reads stop before it and
// do not pay for it. A dead row that is not read expires.
//
// `directory` has the partitions that a space has or had, in order, in buckets by their hash, for scans.
//
// `content` has the chunks of contents, and `contents` lists the contents of a space, by buckets, each with the process
// that wrote it. Both are written without conditions: contents never change.
//
// `member` has the processes, in a single partition: each counts up its row once a second. `url` and `lease` are there
// while others may hand it requests.

/** A store of another version is refused. */
export const SCHEMA_VERSION = 4;

/** Kinds of rows in a partition. */
export const SENTINEL = 0;
export const ROW = 1;
export const OUTCOME = 2;

/** The version of a dead row; those of rows are ticks. */
export const DEAD = 0n;

/** As long as tombstones are kept: a node that was away for longer has to be repaired before it comes back. */
const DEAD_SECONDS = 86_400;

/** How long a commit's outcome is kept: an unknown one is resolved within seconds. */
const OUTCOME_SECONDS = 900;

export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS row (
    sid bigint, pk blob, kind tinyint, rk blob,
    fence bigint static, gaps bigint static,
    version bigint, value blob,
    PRIMARY KEY ((sid, pk), kind, rk)
  ) WITH compaction = {'class': 'UnifiedCompactionStrategy'} AND gc_grace_seconds = 86400 AND read_repair = 'NONE'`,
  `CREATE TABLE IF NOT EXISTS directory (
    sid bigint, bucket smallint, pk blob,
    PRIMARY KEY ((sid, bucket), pk)
  ) WITH compaction = {'class': 'UnifiedCompactionStrategy'} AND gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS content (
    sid bigint, id text, part int, n int, bytes blob,
    PRIMARY KEY ((sid, id, part), n)
  ) WITH compaction = {'class': 'UnifiedCompactionStrategy'} AND gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS contents (
    sid bigint, bucket smallint, id text, owner text,
    PRIMARY KEY ((sid, bucket), id)
  ) WITH compaction = {'class': 'UnifiedCompactionStrategy'} AND gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS member (
    part tinyint, id text, beat bigint, pinned bigint, url text, lease text,
    PRIMARY KEY (part, id)
  ) WITH gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS format (name text PRIMARY KEY, version int)`,
];

export const READ_KEYS =
  'SELECT fence, gaps, kind, rk, version, value FROM row WHERE sid = ? AND pk = ? AND (kind, rk) IN ?';
const IN_RANGE = 'FROM row WHERE sid = ? AND pk = ? AND (kind, rk) >= (1, ?)';
const RANGE = `SELECT fence, gaps, rk, version, value ${IN_RANGE}`;
export const READ_UNTIL = `${RANGE} AND (kind, rk) < (1, ?)`;
export const READ_FROM = `${RANGE} AND (kind, rk) < (2, 0x)`;
/** Without the values. */
export const READ_VERSIONS = `SELECT fence, rk, version ${IN_RANGE} AND (kind, rk) < (2, 0x)`;
export const READ_GAPS = 'SELECT rk, value FROM row WHERE sid = ? AND pk = ? AND kind = 3';

export const MOVE_FENCE = 'UPDATE row SET fence = ? WHERE sid = ? AND pk = ? IF fence = ?';
export const MOVE_FENCE_AND_GAPS = 'UPDATE row SET fence = ?, gaps = ? WHERE sid = ? AND pk = ? IF fence = ?';
export const PUT_ROW = 'INSERT INTO row (sid, pk, kind, rk, version, value) VALUES (?, ?, 1, ?, ?, ?)';
export const KILL_ROW = `INSERT INTO row (sid, pk, kind, rk, version, value) VALUES (?, ?, 1, ?, ${DEAD}, 0x) USING TTL ${DEAD_SECONDS}`;
export const DELETE_ROWS = 'DELETE FROM row WHERE sid = ? AND pk = ? AND kind = 1 AND rk >= ? AND rk < ?';
export const PUT_GAP = 'INSERT INTO row (sid, pk, kind, rk, value) VALUES (?, ?, 3, ?, ?)';
export const DELETE_GAP = 'DELETE FROM row WHERE sid = ? AND pk = ? AND kind = 3 AND rk = ?';
export const PUT_SENTINEL = 'INSERT INTO row (sid, pk, kind, rk) VALUES (?, ?, 0, 0x)';
export const PUT_OUTCOME = `INSERT INTO row (sid, pk, kind, rk) VALUES (?, ?, 2, ?) USING TTL ${OUTCOME_SECONDS}`;

export const ENTER_PARTITION = 'INSERT INTO directory (sid, bucket, pk) VALUES (?, ?, ?)';
export const LIST_PARTITIONS = 'SELECT pk FROM directory WHERE sid = ? AND bucket = ? AND pk >= ?';
/** A space is dropped for all time: later than the time of any write. */
const NO_LATER = 2n ** 62n;
export const DROP_PARTITION = `DELETE FROM row USING TIMESTAMP ${NO_LATER} WHERE sid = ? AND pk = ?`;
export const DROP_BUCKET = `DELETE FROM directory USING TIMESTAMP ${NO_LATER} WHERE sid = ? AND bucket = ?`;

/** The space of the engine's own rows: catalogue, ids, ticks. */
export const SYSTEM = 0n;

export const PUT_CHUNK = 'INSERT INTO content (sid, id, part, n, bytes) VALUES (?, ?, ?, ?, ?)';
export const READ_CHUNKS =
  'SELECT n, bytes FROM content WHERE sid = ? AND id = ? AND part = ? AND n >= ? AND n < ?';
export const FIND_PART = 'SELECT n FROM content WHERE sid = ? AND id = ? AND part = ? LIMIT 1';
export const DROP_PART = 'DELETE FROM content WHERE sid = ? AND id = ? AND part = ?';
export const ENTER_CONTENT = 'INSERT INTO contents (sid, bucket, id, owner) VALUES (?, ?, ?, ?)';
export const FORGET_CONTENT = 'DELETE FROM contents WHERE sid = ? AND bucket = ? AND id = ?';
export const FIND_CONTENT = 'SELECT id FROM contents WHERE sid = ? AND bucket = ? AND id = ?';
export const LIST_CONTENTS = 'SELECT id, owner FROM contents WHERE sid = ? AND bucket = ?';

/** A member that has not counted for this long has ended. */
export const MEMBER_SECONDS = 600;
export const PUT_MEMBER = `INSERT INTO member (part, id, beat, pinned, url, lease) VALUES (0, ?, ?, ?, ?, ?) USING TTL ${MEMBER_SECONDS}`;
export const LIST_MEMBERS = 'SELECT id, beat, pinned, url, lease FROM member WHERE part = 0';
export const FORGET_MEMBER = 'DELETE FROM member WHERE part = 0 AND id = ?';
