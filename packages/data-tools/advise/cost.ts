// A table's cost, from prices that the user gives: Azure's differ by region, redundancy and year.

export interface Prices {
  /** For a GiB for a month. */
  readonly gib: number | undefined;
  /** For 10,000 requests. */
  readonly tenThousandRequests: number | undefined;
}

export interface Cost {
  /** For keeping the rows for a month. */
  readonly storageAMonth: number | undefined;
  /** For reading the table once. */
  readonly scan: number | undefined;
  /** For reading each row once by its keys. */
  readonly pointReads: number | undefined;
  /** For writing the rows again, one by one, and in transactions of 100. */
  readonly singleWrites: number | undefined;
  readonly batchedWrites: number | undefined;
}

const GIB = 1_073_741_824;
/** Rows per page, and requests per price. */
const PAGE_ROWS = 1000;
const REQUESTS = 10_000;
const BATCH_ROWS = 100;

/** @param rows and bytes of the whole table. */
export function costOf(rows: number, bytes: number, { gib, tenThousandRequests }: Prices): Cost {
  const requests = (count: number): number | undefined =>
    tenThousandRequests === undefined ? undefined : (Math.ceil(count) / REQUESTS) * tenThousandRequests;
  return {
    storageAMonth: gib === undefined ? undefined : (bytes / GIB) * gib,
    scan: requests(Math.max(1, rows / PAGE_ROWS)),
    pointReads: requests(rows),
    singleWrites: requests(rows),
    batchedWrites: requests(rows / BATCH_ROWS),
  };
}
