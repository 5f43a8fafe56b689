// Parses the operations on the service and on containers (protocol: blob-requests#paths).
import { BlobError, type Operation } from '#blobs';
import { parseIdentifiers } from '../../shared/access-policy-xml.js';
import { given } from '../../shared/storage-exchange.js';
import { parseBlobServiceProperties } from '../xml/blob-service-properties-xml.js';
import { type Asked, onContainer, type Parsers } from './asked.js';
import { containerConditionsOf } from './conditions.js';
import { metadataOf, publicAccessOf } from './content-headers.js';
import { leaseActionOf } from './lease-action.js';
import { blobPosition, containerPosition, foundPosition, includedOf, topOf } from './markers.js';
import { parseTagQuery } from './tag-languages.js';

/** Of policies of containers. */
const LETTERS = 'racwdxyltmeopfi';

const onContainerIf = (asked: Asked) => ({
  ...onContainer(asked),
  conditions: containerConditionsOf(asked.headers),
});

function listBlobs(asked: Asked): Operation {
  const { query } = asked.route;
  const delimiter = query.get('delimiter') ?? '';
  const included = includedOf(query);
  if (delimiter !== '' && included.has('snapshots'))
    throw new BlobError('InvalidQueryParameterValue', { name: 'include', value: query.get('include') ?? '' });
  return {
    kind: 'listBlobs',
    ...onContainer(asked),
    prefix: query.get('prefix') ?? '',
    delimiter,
    from: blobPosition(query),
    top: topOf(query),
    snapshots: included.has('snapshots'),
    uncommitted: included.has('uncommittedblobs'),
  };
}

function findBlobsByTags({ route }: Asked): Operation {
  const { query, resource } = route;
  const text = given(query, 'where');
  if (text === undefined) throw new BlobError('MissingRequiredQueryParameter', { name: 'where' });
  const container = 'container' in resource ? resource.container : undefined;
  const where = parseTagQuery(text, container !== undefined);
  return { kind: 'findBlobsByTags', container, where, from: foundPosition(query), top: topOf(query) };
}

export const CONTAINER_PARSERS = {
  listContainers: ({ route: { query, account } }) => ({
    kind: 'listContainers',
    prefix: query.get('prefix') ?? '',
    from: containerPosition(query, account),
    top: topOf(query),
  }),
  createContainer: asked => ({
    kind: 'createContainer',
    ...onContainer(asked),
    metadata: metadataOf(asked.headers),
    publicAccess: publicAccessOf(asked.headers),
  }),
  deleteContainer: asked => ({ kind: 'deleteContainer', ...onContainerIf(asked) }),
  getContainerProperties: asked => ({ kind: 'getContainerProperties', ...onContainerIf(asked) }),
  getContainerMetadata: asked => ({ kind: 'getContainerMetadata', ...onContainerIf(asked) }),
  setContainerMetadata: asked => ({
    kind: 'setContainerMetadata',
    ...onContainerIf(asked),
    metadata: metadataOf(asked.headers),
  }),
  getContainerAcl: asked => ({ kind: 'getContainerAcl', ...onContainerIf(asked) }),
  setContainerAcl: asked => ({
    kind: 'setContainerAcl',
    ...onContainerIf(asked),
    publicAccess: publicAccessOf(asked.headers),
    identifiers: parseIdentifiers(asked.body, LETTERS),
  }),
  leaseContainer: asked => ({
    kind: 'leaseContainer',
    ...onContainer(asked),
    // The id belongs to the action.
    conditions: { ...containerConditionsOf(asked.headers), leaseId: undefined },
    action: leaseActionOf(asked.headers),
  }),
  listBlobs,
  findBlobsByTags,
  getServiceProperties: () => ({ kind: 'getServiceProperties' }),
  setServiceProperties: ({ body }) => ({
    kind: 'setServiceProperties',
    change: parseBlobServiceProperties(body),
  }),
  getServiceStats: () => ({ kind: 'getServiceStats' }),
} satisfies Parsers;
