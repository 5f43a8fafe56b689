// Queues and containers over the wire, which services list, create and describe in the same way: read with their
// metadata and policies, and offered to a target, which creates them if they are missing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { XmlElement } from '#wire';
import { type Endpoint, errorOf, failureOf, type SourceContext } from './endpoint.js';
import { offerPolicies, type Policy, readPoliciesAt } from './policies.js';
import { ToolError } from './tool-error.js';
import type { Answer } from './transport.js';
import { childOf, LIST_VERSION, listPages, textIn, textsIn } from './xml-list.js';

type Texts = Readonly<Record<string, string>>;

const METADATA = 'x-ms-meta-';

export const metadataHeaders = (metadata: Texts): Texts =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA + name, value]));

/** From an answer; the case of names is lost there. */
export const metadataIn = (headers: Answer['headers']): Texts =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), String(value)]),
  );

/** Whether metadata are the same, ignoring the case of their names. */
export function isSameMetadata(one: Texts, other: Texts): boolean {
  const form = (texts: Texts): string =>
    JSON.stringify(
      Object.entries(texts)
        .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return form(one) === form(other);
}

const PAUSE_MILLISECONDS = 2000;

/**
 * Creates something of the name `what`, as soon as that is free: Azure reserves a deleted name for 30 s or longer.
 *
 * @param make is undefined while the name is being deleted.
 * @throws ToolError gaveUp, and what `make` throws.
 */
export async function untilFree<T>(
  what: string,
  endpoint: Endpoint,
  { retryForMilliseconds, signal }: SourceContext,
  make: () => Promise<T | undefined>,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const made = await make();
    if (made !== undefined) return made;
    if (performance.now() - begun > retryForMilliseconds)
      throw new ToolError('gaveUp', `${what} is still being deleted at ${endpoint.name}.`);
    await sleep(PAUSE_MILLISECONDS, undefined, { signal });
  }
}

export type SpaceKind = 'Queue' | 'Container';

export interface SpaceRecord {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null if the source did not include them. */
  readonly policies: readonly Policy[] | null;
}

/** The parameters of requests to one. */
export const queryOf = (kind: SpaceKind): Readonly<Record<string, string>> =>
  kind === 'Container' ? { restype: 'container' } : {};

/** Where one has its policies or its metadata. */
const placeOf = (kind: SpaceKind, name: string, comp: 'acl' | 'metadata') => ({
  path: `/${name}`,
  query: { ...queryOf(kind), comp },
});

/** The entries of the account's list. */
export async function* listSpaces(endpoint: Endpoint, kind: SpaceKind): AsyncGenerator<XmlElement, void> {
  const what = `a list of ${kind.toLowerCase()}s`;
  const options = { path: '/', query: { include: 'metadata' }, entries: `${kind}s`, what };
  for await (const { entries } of listPages(endpoint, options)) yield* entries;
}

export const recordOf = async (
  endpoint: Endpoint,
  kind: SpaceKind,
  element: XmlElement,
): Promise<SpaceRecord> => {
  const name = textIn(element, 'Name');
  const metadata = textsIn(childOf(element, 'Metadata'));
  return { name, metadata, policies: await readPoliciesAt(endpoint, placeOf(kind, name, 'acl')) };
};

interface Offered extends SpaceRecord {
  readonly publicAccess?: string | null;
}

interface OfferResult {
  /** Sentences for the user. */
  readonly notes: readonly string[];
  /** Whether it existed with other metadata, which stay. */
  readonly differs: boolean;
}

/** @param replaces whether to replace existing metadata. @throws ToolError */
export async function offerSpace(
  endpoint: Endpoint,
  kind: SpaceKind,
  space: Offered,
  replaces: boolean,
  context: SourceContext,
): Promise<OfferResult> {
  const { name, policies } = space;
  const notes: string[] = [];
  let access = space.publicAccess ?? null;
  let made = await create(endpoint, kind, space, access, context);
  if (made === 'private only') {
    notes.push(
      `${kind} ${name} was public (${access}), which its new account does not allow: it is private.`,
    );
    access = null;
    made = await create(endpoint, kind, space, access, context);
  }
  let differs = made !== 'new' && !(await hasMetadata(endpoint, kind, space));
  if (differs && replaces) {
    await setMetadata(endpoint, kind, space);
    differs = false;
  }
  // Setting policies also sets public access.
  const headers = made !== 'there' && access !== null ? { 'x-ms-blob-public-access': access } : {};
  const mayOffer = endpoint.address.hasKey && policies !== null;
  if (mayOffer && !(await offerPolicies(endpoint, placeOf(kind, name, 'acl'), policies, headers)))
    notes.push(`${kind} ${name} has access policies of its own: those that came with it were not set.`);
  return { notes, differs };
}

/** `private only`: its public access is refused; `maybe new`: it is there, and an earlier attempt may have created it. */
type Made = 'new' | 'maybe new' | 'there' | 'private only';

function create(
  endpoint: Endpoint,
  kind: SpaceKind,
  { name, metadata }: Offered,
  access: string | null,
  context: SourceContext,
): Promise<Made> {
  return untilFree(`${kind} ${name}`, endpoint, context, async () => {
    const { status, value, isRepeated } = await endpoint.send({
      method: 'PUT',
      path: `/${name}`,
      query: queryOf(kind),
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
    if (code === `${kind}AlreadyExists`) return isRepeated ? 'maybe new' : 'there';
    // A SAS for one queue or container cannot create it, and need not if it exists.
    if ((status === 401 || status === 403) && !endpoint.address.hasKey) return 'there';
    if (code === `${kind}BeingDeleted`) return undefined;
    throw failureOf(endpoint, `the creation of ${kind.toLowerCase()} ${name}`, answer);
  });
}

/** True, too, if they may not be read. */
async function hasMetadata(endpoint: Endpoint, kind: SpaceKind, space: Offered): Promise<boolean> {
  const { status, headers } = await endpoint.send({
    method: 'HEAD',
    ...placeOf(kind, space.name, 'metadata'),
    headers: { 'x-ms-version': LIST_VERSION },
    read: () => undefined,
  });
  return status >= 300 || isSameMetadata(metadataIn(headers), space.metadata);
}

async function setMetadata(endpoint: Endpoint, kind: SpaceKind, { name, metadata }: Offered): Promise<void> {
  await endpoint.expect(`the metadata of ${kind.toLowerCase()} ${name}`, {
    method: 'PUT',
    ...placeOf(kind, name, 'metadata'),
    headers: { 'x-ms-version': LIST_VERSION, ...metadataHeaders(metadata) },
  });
}
