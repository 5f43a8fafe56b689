// Queries of many partitions at once, as `shelfmark-patterns/fan-out`. A separate entry, because most programs query one partition at a time.

export { fanOut } from './repo/read/fan-out.js';
