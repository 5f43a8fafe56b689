// What the commands on the data of a store find wrong in it: each service judges what it wrote.
import { inspectQueueRow, inspectQueueSpace, isOfQueueService } from '#queues';
import type { Inspection } from '#store';
import { inspectRow, inspectSpace } from '#tables';

export const inspection: Inspection = {
  space: space => (isOfQueueService(space) ? inspectQueueSpace(space) : inspectSpace(space)),
  row: (space, row) => (isOfQueueService(space) ? inspectQueueRow(space, row) : inspectRow(space, row)),
};
