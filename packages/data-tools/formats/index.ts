// Columns and records of CSV without anything of Node: what the explorer's page shares with the tools.
export { Columns } from './columns.js';
export { type Header, headerCells, readHeader, readRecord, rowCells } from './csv-record.js';
