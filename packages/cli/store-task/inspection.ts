// The services' part of a check: each service inspects the spaces and rows that it wrote.
import { contentsNamedBy, inspectBlobRow, inspectBlobSpace, isOfBlobService } from '#blobs';
import { inspectQueueRow, inspectQueueSpace, isOfQueueService } from '#queues';
import type { Inspection } from '#store';
import { inspectRow, inspectSpace } from '#tables';

export const inspection: Inspection = {
  space(space) {
    if (isOfQueueService(space)) return inspectQueueSpace(space);
    return isOfBlobService(space) ? inspectBlobSpace(space) : inspectSpace(space);
  },
  row(space, row) {
    if (isOfQueueService(space)) return inspectQueueRow(space, row);
    return isOfBlobService(space) ? inspectBlobRow(space, row) : inspectRow(space, row);
  },
  contents: contentsNamedBy,
};
