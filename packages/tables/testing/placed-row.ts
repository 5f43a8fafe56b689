// A row as a scan shows it: its value stands among other bytes.
import type { Row, RowInPlace } from '#store';

const BEFORE = 7;
const OTHERS = Buffer.alloc(BEFORE, 0xee);

export const placed = ({ partition, key, version, value }: Row): RowInPlace => ({
  partition,
  key,
  version,
  value,
  bytes: Buffer.concat([OTHERS, value, OTHERS]),
  from: BEFORE,
  until: BEFORE + value.length,
  keyFrom: -1,
  keyUntil: -1,
});
