// Which contents of an account a run takes, apart from its tables.
import type { Service } from '../source/address.js';
import { type TableChoice, wantsTables } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';

export interface ContentChoice {
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
  /** Hides messages, writes them down and returns them. */
  readonly takeMessages?: boolean | undefined;
}

interface WholeChoice extends ContentChoice {
  readonly choice: TableChoice;
}

export const hasTables = ({ choice, queues, blobs }: WholeChoice): boolean =>
  wantsTables(choice, (queues || blobs) ?? false);

/** The service whose endpoint names the account. */
export const serviceNamed = (choice: WholeChoice): Service =>
  hasTables(choice) ? 'table' : choice.blobs ? 'blob' : 'queue';

/** @throws ToolError usage */
export function checkTakeMessages({ queues, takeMessages }: ContentChoice): void {
  if (takeMessages && !queues) throw new ToolError('usage', '--take-messages goes with --queues.');
}

/** For a journal: nothing if nothing is asked for. */
export const contentArguments = ({ queues, blobs, takeMessages }: ContentChoice) => ({
  ...(queues && { '--queues': true }),
  ...(blobs && { '--blobs': true }),
  ...(takeMessages && { '--take-messages': true }),
});
