// A container that blobs are written to: created if it is missing, with the metadata, the public access and the
// policies from the input.
import { type Endpoint, errorOf, failureOf, type SourceContext } from '../source/endpoint.js';
import { metadataHeaders, metadataIn } from '../source/metadata.js';
import { offerPolicies } from '../source/policies.js';
import { untilFree } from '../source/until-free.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { ofContainer } from './blob-account.js';
import { type ContainerRecord, isSameMetadata, type Texts } from './blob-record.js';

interface ContainerResult {
  readonly isNew: boolean;
  /** Sentences for the user. */
  readonly notes: readonly string[];
  /** Whether it existed with other metadata. */
  readonly differs: boolean;
}

/** @param replaces whether to replace existing metadata. @throws ToolError */
export async function offerContainer(
  endpoint: Endpoint,
  container: ContainerRecord,
  replaces: boolean,
  context: SourceContext,
): Promise<ContainerResult> {
  const { name, publicAccess, policies } = container;
  const notes: string[] = [];
  let access = publicAccess;
  let made = await create(endpoint, container, access, context);
  if (made === 'private only') {
    notes.push(
      `Container ${name} was public (${access}), which its new account does not allow: it is private.`,
    );
    access = null;
    made = await create(endpoint, container, access, context);
  }
  const isNew = made === 'new';
  let differs = false;
  if (!isNew) {
    const there = await metadataAt(endpoint, name);
    differs = there !== undefined && !isSameMetadata(there, container.metadata);
    if (differs && replaces) {
      await setMetadata(endpoint, container);
      differs = false;
    }
  }
  // Setting policies also sets public access.
  const headers: Texts = isNew && access !== null ? { 'x-ms-blob-public-access': access } : {};
  const mayOffer = endpoint.address.hasKey && policies !== null && policies.length > 0;
  if (mayOffer && !(await offerPolicies(endpoint, ofContainer(name, 'acl'), policies, headers)))
    notes.push(`Container ${name} has access policies of its own: those that came with it were not set.`);
  return { isNew, notes, differs };
}

/** `private only`: its public access is refused. */
function create(
  endpoint: Endpoint,
  { name, metadata }: ContainerRecord,
  access: string | null,
  context: SourceContext,
): Promise<'new' | 'there' | 'private only'> {
  return untilFree(`Container ${name}`, endpoint, context, async () => {
    const { status, value, isRepeated } = await endpoint.send({
      method: 'PUT',
      path: `/${name}`,
      query: { restype: 'container' },
      headers: {
        'x-ms-version': LIST_VERSION,
        ...(access !== null && { 'x-ms-blob-public-access': access }),
        ...metadataHeaders(metadata),
      },
      read: answer => ({ answer, code: errorOf(answer).code }),
    });
    const { code, answer } = value;
    if (status < 300) return 'new';
    if (code === 'PublicAccessNotPermitted' && access !== null) return 'private only';
    if (code === 'ContainerAlreadyExists') return isRepeated ? 'new' : 'there';
    // A SAS for the container cannot create it, and need not if it exists.
    if ((status === 401 || status === 403) && !endpoint.address.hasKey) return 'there';
    if (code === 'ContainerBeingDeleted') return undefined;
    throw failureOf(endpoint, `the creation of container ${name}`, answer);
  });
}

/** Undefined if they may not be read. */
async function metadataAt(endpoint: Endpoint, name: string): Promise<Texts | undefined> {
  const { status, headers } = await endpoint.send({
    method: 'HEAD',
    path: `/${name}`,
    query: { restype: 'container' },
    headers: { 'x-ms-version': LIST_VERSION },
    read: () => undefined,
  });
  if (status >= 300) return undefined;
  return metadataIn(headers);
}

async function setMetadata(endpoint: Endpoint, { name, metadata }: ContainerRecord): Promise<void> {
  const { status, value } = await endpoint.send({
    method: 'PUT',
    path: `/${name}`,
    query: { restype: 'container', comp: 'metadata' },
    headers: { 'x-ms-version': LIST_VERSION, ...metadataHeaders(metadata) },
    read: answer => failureOf(endpoint, `the metadata of container ${name}`, answer),
  });
  if (status >= 300) throw value;
}
