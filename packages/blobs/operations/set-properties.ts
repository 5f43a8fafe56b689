// Set Blob Properties: content properties of any blob, length and sequence number of a page blob (protocol: blobs#settings, page-blobs#resize,
// page-blobs#sequence-numbers).
import { type BlobContext, openContainer } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { mergeLayersLater } from '../body/merge-layers.js';
import { checkPageBlobLength, checkSequenceNumberValue, SEQUENCE_NUMBER_MAX } from '../limits.js';
import type { SetBlobProperties, SetSequenceNumber } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { type Head, type Layer, unlimited } from '../rows/head.js';
import { newWrittenLayer } from '../rows/keys.js';
import { admitWrite, checkOnline, stampOf } from './admission.js';
import { changeBlob, stamped } from './change-blob.js';

export async function setBlobProperties(
  context: BlobContext,
  operation: SetBlobProperties,
): Promise<Outcome> {
  const { container, blob, properties, length, sequenceNumber, conditions } = operation;
  if (length !== undefined) checkPageBlobLength(length);
  if (sequenceNumber !== undefined) checkSequenceNumberValue(sequenceNumber.number);
  const space = await openContainer(context, container);
  const layer = newWrittenLayer(context.ids());
  const head = await changeBlob(context, space, blob, (old, tick) => {
    admitWrite(old, conditions, tick, container);
    checkOnline(old);
    const isOfPages = length !== undefined || sequenceNumber !== undefined;
    if (isOfPages && old.type !== 'PageBlob') throw new BlobError('InvalidBlobType');
    return {
      ...stamped(old, tick),
      properties: properties ?? old.properties,
      sequenceNumber: sequenceNumber ? changed(old.sequenceNumber, sequenceNumber) : old.sequenceNumber,
      length: length ?? old.length,
      layers: length !== undefined && length < old.length ? cut(old, length, layer) : old.layers,
    };
  });
  if (length !== undefined && head.layers.length > 1) mergeLayersLater(context, space, blob);
  return {
    kind: 'blobPropertiesSet',
    stamp: stampOf(head),
    sequenceNumber: head.type === 'PageBlob' ? head.sequenceNumber : undefined,
  };
}

/** The layers' rows beyond the new end stay hidden when the blob grows again; later writes go to another layer. */
const cut = ({ layers }: Head, length: number, name: string): readonly Layer[] => [
  unlimited(name),
  ...layers.map(layer => ({ name: layer.name, limit: Math.min(layer.limit, length) })),
];

function changed(own: bigint, { action, number }: SetSequenceNumber): bigint {
  if (action === 'max') return number > own ? number : own;
  if (action === 'update') return number;
  if (own === SEQUENCE_NUMBER_MAX) throw new BlobError('SequenceNumberIncrementTooLarge');
  return own + 1n;
}
