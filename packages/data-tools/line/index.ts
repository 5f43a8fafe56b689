// Rows and their texts without anything of Node: what the explorer's page shares with the tools.
export * from './line.js';
export * from './literal.js';
export * from './read-rows.js';
export * from './row.js';
export { RowShape } from './row-shape.js';
