// Parses the operations that write contents of blobs (protocol: blob-requests#paths).
import {
  type AppendConditions,
  BlobError,
  checkBlockId,
  type Operation,
  type SourceRange,
  type Upload,
} from '#blobs';
import { given } from '../../shared/storage-exchange.js';
import { blobAddressOf } from '../blob-route.js';
import { parseBlockList } from '../xml/block-list-xml.js';
import { type Asked, type Parsers, sourceOf } from './asked.js';
import { checkAppendEtags, conditionsOf, leaseIdOf, pageConditionsOf } from './conditions.js';
import {
  contentPropertiesOf,
  copiesTags,
  metadataOf,
  tagsOfHeader,
  tierOf,
  wholeBlobOf,
} from './content-headers.js';
import { bigOf, flagOf, type Headers, invalidHeader, md5Of, wholeHeader } from './header-values.js';
import { pageSpanOf, sourceRangeOf } from './ranges.js';
import {
  APPEND_LIMITS,
  BLOCK_LIMITS,
  checkLengthSent,
  checkNoBody,
  digestsSent,
  type IncomingBody,
  PAGES_LIMITS,
  PUT_BLOB_LIMITS,
  type UploadRules,
  uploadOf,
} from './uploads.js';

const NO_BODY: IncomingBody = { length: 0, pieces: (async function* none() {})() };

const upload = (
  { headers, upload: body = NO_BODY, version }: Asked,
  rules: Pick<UploadRules, 'limits' | 'mayBeEmpty'>,
): Upload => uploadOf(headers, body, { version, ...rules });

function blockId({ route: { query } }: Asked): string {
  const id = given(query, 'blockid');
  if (id === undefined) throw new BlobError('MissingRequiredQueryParameter', { name: 'blockid' });
  checkBlockId(id);
  return id;
}

export function appendConditionsOf(headers: Headers): AppendConditions {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifTags, leaseId } = conditionsOf(headers);
  return {
    ifMatch,
    ifNoneMatch,
    ifModifiedSince,
    ifUnmodifiedSince,
    ifTags,
    leaseId,
    appendPosition: wholeHeader(headers, 'x-ms-blob-condition-appendpos'),
    maxSize: wholeHeader(headers, 'x-ms-blob-condition-maxsize'),
  };
}

const sourceDigests = (headers: Headers) =>
  digestsSent(headers, 'x-ms-source-content-md5', 'x-ms-source-content-crc64');

const sourceRange = (asked: Asked): SourceRange => ({
  ...sourceOf(asked),
  range: sourceRangeOf(asked.headers),
  ...sourceDigests(asked.headers),
});

function putBlockBlob(asked: Asked): Operation {
  const whole = wholeBlobOf(asked.headers, 'body');
  const content = upload(asked, { limits: PUT_BLOB_LIMITS, mayBeEmpty: true });
  // It is compared with the body like Content-MD5, before which it goes.
  const contentMd5 = md5Of(asked.headers, 'x-ms-blob-content-md5');
  const { container, blob } = blobAddressOf(asked.route);
  return {
    kind: 'putBlockBlob',
    container,
    blob,
    properties: whole.properties,
    metadata: whole.metadata,
    tags: whole.tags,
    tier: whole.tier,
    conditions: whole.conditions,
    upload: contentMd5 === undefined ? content : { ...content, md5: contentMd5 },
  };
}

function putPageBlob(asked: Asked): Operation {
  checkNoBody(asked.headers);
  const name = 'x-ms-blob-content-length';
  const length = wholeHeader(asked.headers, name);
  if (length === undefined) throw new BlobError('MissingRequiredHeader', { name });
  return {
    kind: 'putPageBlob',
    ...blobAddressOf(asked.route),
    ...wholeBlobOf(asked.headers, 'body'),
    length,
    sequenceNumber: bigOf(asked.headers, 'x-ms-blob-sequence-number') ?? 0n,
  };
}

function putPages(asked: Asked): Operation {
  const span = pageSpanOf(asked.headers);
  const content = upload(asked, { limits: PAGES_LIMITS, mayBeEmpty: true });
  if (content.length !== span.until - span.from)
    throw invalidHeader('Content-Length', String(content.length));
  return {
    kind: 'putPages',
    ...blobAddressOf(asked.route),
    span,
    conditions: pageConditionsOf(asked.headers),
    upload: content,
  };
}

function putPagesFromUrl(asked: Asked): Operation {
  checkNoBody(asked.headers);
  const span = pageSpanOf(asked.headers);
  const source = sourceRange(asked);
  const { from, until } = source.range;
  if (until === undefined || until - from !== span.until - span.from)
    throw invalidHeader('x-ms-source-range', asked.headers['x-ms-source-range'] ?? '');
  return {
    kind: 'putPagesFromUrl',
    ...blobAddressOf(asked.route),
    span,
    conditions: pageConditionsOf(asked.headers),
    source,
  };
}

function putBlobFromUrl(asked: Asked): Operation {
  checkNoBody(asked.headers);
  const whole = wholeBlobOf(asked.headers, 'else');
  const propertiesOfSource = asked.headers['x-ms-copy-source-blob-properties']?.toLowerCase() !== 'false';
  return {
    kind: 'putBlobFromUrl',
    ...blobAddressOf(asked.route),
    ...whole,
    // Where the request names no type, that of the source comes along.
    properties: propertiesOfSource ? contentPropertiesOf(asked.headers) : whole.properties,
    source: sourceOf(asked),
    ...sourceDigests(asked.headers),
    propertiesOfSource,
    tagsOfSource: copiesTags(asked.headers, asked.version),
  };
}

function copyBlob(asked: Asked): Operation {
  const { headers } = asked;
  const metadata = metadataOf(headers);
  const isSynchronous = flagOf(headers, 'x-ms-requires-sync');
  return {
    kind: 'copyBlob',
    ...blobAddressOf(asked.route),
    source: sourceOf(asked),
    metadata: metadata.length === 0 ? undefined : metadata,
    tags: tagsOfHeader(headers),
    tier: tierOf(headers),
    seal: headers['x-ms-seal-blob'] ? flagOf(headers, 'x-ms-seal-blob') : undefined,
    tagsOfSource: isSynchronous && copiesTags(headers, asked.version),
    isSynchronous,
    md5: md5Of(headers, 'x-ms-source-content-md5'),
    conditions: conditionsOf(headers),
  };
}

export const WRITE_PARSERS = {
  putBlockBlob,
  putAppendBlob: asked => {
    checkNoBody(asked.headers);
    return { kind: 'putAppendBlob', ...blobAddressOf(asked.route), ...wholeBlobOf(asked.headers, 'body') };
  },
  putPageBlob,
  putBlobFromUrl,
  putBlock: asked => ({
    kind: 'putBlock',
    ...blobAddressOf(asked.route),
    id: blockId(asked),
    leaseId: leaseIdOf(asked.headers),
    upload: upload(asked, { limits: BLOCK_LIMITS, mayBeEmpty: false }),
  }),
  putBlockFromUrl: asked => {
    checkNoBody(asked.headers);
    return {
      kind: 'putBlockFromUrl',
      ...blobAddressOf(asked.route),
      id: blockId(asked),
      leaseId: leaseIdOf(asked.headers),
      source: sourceRange(asked),
    };
  },
  putBlockList: asked => {
    checkLengthSent(asked.headers);
    return {
      kind: 'putBlockList',
      ...blobAddressOf(asked.route),
      ...wholeBlobOf(asked.headers, 'else'),
      blocks: parseBlockList(asked.body),
    };
  },
  appendBlock: asked => {
    const conditions = appendConditionsOf(asked.headers);
    checkAppendEtags(conditions.ifMatch);
    const { container, blob } = blobAddressOf(asked.route);
    return {
      kind: 'appendBlock',
      container,
      blob,
      conditions,
      upload: upload(asked, { limits: APPEND_LIMITS, mayBeEmpty: false }),
    };
  },
  appendBlockFromUrl: asked => {
    checkNoBody(asked.headers);
    return {
      kind: 'appendBlockFromUrl',
      ...blobAddressOf(asked.route),
      conditions: appendConditionsOf(asked.headers),
      source: sourceRange(asked),
    };
  },
  putPages,
  clearPages: asked => {
    checkNoBody(asked.headers);
    return {
      kind: 'clearPages',
      ...blobAddressOf(asked.route),
      span: pageSpanOf(asked.headers),
      conditions: pageConditionsOf(asked.headers),
    };
  },
  putPagesFromUrl,
  copyBlob,
} satisfies Parsers;
