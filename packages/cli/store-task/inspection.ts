// The services' part of a check: each service inspects the spaces and rows that it wrote.
import { inspectQueueRow, inspectQueueSpace, isOfQueueService } from '#queues';
import type { Inspection } from '#store';
import { inspectRow, inspectSpace } from '#tables';

export const inspection: Inspection = {
  space: space => (isOfQueueService(space) ? inspectQueueSpace(space) : inspectSpace(space)),
  row: (space, row) => (isOfQueueService(space) ? inspectQueueRow(space, row) : inspectRow(space, row)),
};
