// The key range of a table's shared access signature (protocol: sas#key-ranges).

interface KeyBound {
  readonly partition: string;
  readonly key: string;
}

/**
 * Half-open over (PartitionKey, RowKey), ordinal by UTF-16 code unit: `from` is in the range, `until` is not; without
 * `until` it has no end. It has the shape of the store's scan ranges, so that they intersect.
 */
export interface KeyRange {
  readonly from: KeyBound;
  readonly until?: KeyBound | undefined;
}

/** The signature's bounds are inclusive; a row key bounds the rows of its partition key's partition only. */
export interface SignedBounds {
  /** spk, srk, epk, erk; undefined where not given. */
  readonly firstPartition: string | undefined;
  readonly firstRow: string | undefined;
  readonly lastPartition: string | undefined;
  readonly lastRow: string | undefined;
}

/** Undefined without bounds. */
export function keyRange(bounds: SignedBounds): KeyRange | undefined {
  const { firstPartition, firstRow, lastPartition, lastRow } = bounds;
  if (firstPartition === undefined && lastPartition === undefined) return undefined;
  return {
    from: { partition: firstPartition ?? '', key: firstRow ?? '' },
    until: lastPartition === undefined ? undefined : after(lastPartition, lastRow),
  };
}

/** No string lies between a text and the same text with U+0000 behind it. */
function after(lastPartition: string, lastRow: string | undefined): KeyBound {
  return lastRow === undefined
    ? { partition: `${lastPartition}\0`, key: '' }
    : { partition: lastPartition, key: `${lastRow}\0` };
}

const isBefore = (partition: string, key: string, bound: KeyBound): boolean =>
  partition < bound.partition || (partition === bound.partition && key < bound.key);

export function isInKeyRange(
  range: KeyRange,
  { partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string },
): boolean {
  if (isBefore(partitionKey, rowKey, range.from)) return false;
  return range.until === undefined || isBefore(partitionKey, rowKey, range.until);
}
