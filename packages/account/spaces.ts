// The spaces of one service: pages of them by name, and the walk of a sweep over those of all accounts.
import type { Space, Store } from '#store';

interface AskedPage {
  /** Empty for all. */
  readonly prefix: string;
  /** The name where the page begins; such a space need not exist. */
  readonly from: string | undefined;
  readonly top: number;
}

/** In the order of their names; `next` is the name where the next page begins. */
export async function pageOfSpaces(
  store: Store,
  account: string,
  service: string,
  { prefix, from, top }: AskedPage,
): Promise<{ readonly spaces: readonly Space[]; readonly next: string | undefined }> {
  const start = from !== undefined && from > prefix ? from : prefix;
  const listed = await store.listSpaces(account, service, start, top + 1);
  // Names with the prefix are contiguous, and begin at the prefix itself.
  const found = listed.filter(({ name }) => name.startsWith(prefix));
  return { spaces: found.slice(0, top), next: found[top]?.name };
}

/** Where a sweep continues: at this space, or at the first one after it. */
export interface SweepPlace {
  readonly account: string;
  readonly name: string;
}

export const SWEEP_START: SweepPlace = { account: '', name: '' };
export const placeAfter = ({ account, name }: Space): SweepPlace => ({ account, name: `${name}\0` });

/** In the order of accounts, then of names; undefined after the last one. */
export async function nextSpace(
  store: Store,
  accounts: readonly string[],
  service: string,
  at: SweepPlace,
): Promise<Space | undefined> {
  for (const account of accounts.filter(name => name >= at.account).sort()) {
    const [space] = await store.listSpaces(account, service, account === at.account ? at.name : '', 1);
    if (space) return space;
  }
  return undefined;
}

export interface SweepStep {
  readonly reclaimed: number;
  /** The step ended a pass over all spaces. */
  readonly isPassOver: boolean;
  /** How long to wait before the next step. */
  readonly pauseMs: number;
}
