// The official client for the scenarios, and its errors.
import assert from 'node:assert/strict';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  RestError,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import type { RunningServer } from 'shelfmark';
import type { Subject } from './targets.js';

/** The socket speaks plain HTTP; and a refusal should show at once, not after retries. */
export const CLIENT_OPTIONS = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } } as const;

export const keyCredential = ({ account }: RunningServer): AzureNamedKeyCredential =>
  new AzureNamedKeyCredential(account.name, account.key);

export const serviceClient = (server: RunningServer): TableServiceClient =>
  new TableServiceClient(server.tableEndpoint, keyCredential(server), CLIENT_OPTIONS);

export const tableClient = (server: RunningServer, table: string): TableClient =>
  new TableClient(server.tableEndpoint, table, keyCredential(server), CLIENT_OPTIONS);

/** A client of a shared access signature. */
export const sasClient = (server: RunningServer, table: string, signature: string): TableClient =>
  new TableClient(server.tableEndpoint, table, new AzureSASCredential(signature), CLIENT_OPTIONS);

/** A table of its own, created. */
export async function makeTable({ server, newTableName }: Subject): Promise<TableClient> {
  const client = tableClient(server, newTableName());
  await client.createTable();
  return client;
}

interface Details {
  /** Of JSON that the client parsed. */
  readonly odataError?: { readonly code?: string };
  /** Of the header. */
  readonly errorCode?: string;
}

function codeOf({ details = {}, code }: RestError): string | undefined {
  const { odataError, errorCode } = details as Details;
  return odataError?.code ?? errorCode ?? code;
}

/** The refusal that a promise of the client ends in; the test fails if it ends in anything else. */
export async function refusal(promise: Promise<unknown>): Promise<{
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly message: string;
}> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof RestError, `Expected a refusal, got ${String(error)}.`);
  return { status: error.statusCode, code: codeOf(error), message: error.message };
}

/** Asserts that a promise of the client ends in this status and code. */
export async function refuses(promise: Promise<unknown>, status: number, code: string): Promise<void> {
  const { status: actualStatus, code: actualCode } = await refusal(promise);
  assert.deepEqual({ status: actualStatus, code: actualCode }, { status, code });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Without the members that the client makes up for elements missing from the document. */
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, present(member)]),
  );
}
