// What tests begin with: a directory that is removed with its test, an environment, a store for the laws, a space,
// ranges and budgets without bounds.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Budget, Inspection, NamedContent, ScanRange, Space, Store, StoreWithContent } from '#store';
import type { OpenedStore } from '#store/conformance';
import { type Environment, openEnvironment } from '../environment.js';

export const ADDRESS = { account: 'a', service: 't', name: 'n' };
export const EVERYTHING: ScanRange = { from: { partition: '', key: '' } };
export const UNBOUNDED: Budget = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };
/** Finds nothing. */
export const NO_INSPECTION: Inspection = { space: () => undefined, row: () => undefined };

export function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-lmdb-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function environmentOf(
  t: TestContext,
  options: Partial<Parameters<typeof openEnvironment>[0]> = {},
): Environment {
  const environment = openEnvironment({ directory: newDirectory(t), durability: 'none', ...options });
  t.after(() => environment.close());
  return environment;
}

/** A store in a directory of its own, for the laws of stores. */
export async function openedStore<S extends Store>(
  open: (directory: string, isAgain: boolean) => Promise<S>,
): Promise<OpenedStore<S>> {
  const directory = mkdtempSync(join(tmpdir(), 'store-lmdb-'));
  let store = await open(directory, false);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(directory, true);
      return store;
    },
    async close() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Creates it if it does not exist. */
export const openSpace = async (store: Store, address = ADDRESS): Promise<Space> =>
  (await store.createSpace(address, Buffer.alloc(0))) ?? (await store.getSpace(address)) ?? assert.fail();

export const put = (store: Store, space: Space, key: string, value: Buffer | string) =>
  store.commit(space, 'p', { keys: [] }, () => ({
    result: true,
    puts: [{ key, value: Buffer.from(value) }],
  }));

/** A content that is finished and released. */
export async function putContent(
  { content }: StoreWithContent,
  space: Space,
  bytes: Buffer,
): Promise<NamedContent> {
  const writer = await content.create(space);
  await writer.write(bytes);
  await writer.finish();
  writer.release();
  return { id: writer.id, bytes: bytes.length };
}
