// The data tools: dump, load, copy, diff, verify and related tools, over the wire on any account. Start with
// line/row.ts, the row, and line/line.ts, its text form; then source/row-source.ts, where rows come from, and
// source/endpoint.ts, how requests are sent. A tool moves rows by shards (run/move-shards.ts) and blobs by pages
// (contents/move-container.ts) from an input into an account (load/transfer.ts) or into files (dump/dump.ts). The
// command calls a tool with a context (source/endpoint.ts) and a reporter (progress/reporter.ts); the package never ends
// the process and never prints anything itself.

export * from './account/reset.js';
export * from './advise/table-advice.js';
export * from './copy/copy.js';
export * from './diff/diff.js';
export * from './diff/verify-dump.js';
export * from './dump/container-files.js';
export * from './dump/dump.js';
export * from './dump/read-dump.js';
export { FORMATS } from './dump/table-format.js';
export * from './dump/verify.js';
export * from './explain/query-plan.js';
export * from './import/azurite-folder.js';
export * from './line/checksum.js';
export * from './line/line.js';
export * from './line/literal.js';
export * from './line/read-rows.js';
export * from './line/row.js';
export * from './load/load.js';
export * from './progress/reporter.js';
export * from './run/context.js';
export * from './sas/table-sas.js';
export * from './source/address.js';
export * from './source/endpoint.js';
export * from './source/key-range.js';
export * from './source/pace.js';
export * from './source/row-source.js';
export * from './source/table-rows.js';
export * from './source/tool-error.js';
export * from './source/transport.js';
export * from './stats/table-stats.js';
export * from './survey/survey.js';
