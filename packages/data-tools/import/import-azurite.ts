// `import-azurite`: writes an Azurite folder to an account over the wire, as a load does with a dump. Azurite itself is
// not needed, and must not write there at the same time.
import { type LoadOptions, loadFrom } from '../load/load.js';
import type { Written } from '../load/transfer.js';
import type { ToolContext } from '../run/context.js';
import { type FolderOptions, openAzuriteFolder } from './azurite-folder.js';

export interface ImportOptions extends LoadOptions {
  /** Which of several accounts in the folder. */
  readonly account?: string | undefined;
}

/** All queues and blobs that the target supports, unless tables are named. */
function wantedContents({ names, target, queues, blobs }: ImportOptions): FolderOptions['wanted'] {
  const isAll = names.length === 0 && queues === undefined && blobs === undefined;
  return { queues: queues ?? (isAll && target.has('queue')), blobs: blobs ?? (isAll && target.has('blob')) };
}

/** Imports; the exit code is `conflict` if rows were left alone or refused. @throws ToolError */
export function importAzurite(
  options: ImportOptions,
  context: ToolContext,
  write: (text: string) => Promise<void>,
): Promise<Written> {
  const journal = options.journal ?? `${options.input.replace(/\/+$/, '')}.import.journal`;
  const wanted = wantedContents(options);
  return loadFrom(
    'import-azurite',
    () => openAzuriteFolder(options.input, { account: options.account, wanted, now: Date.now() }),
    { ...options, ...wanted, journal },
    context,
    write,
  );
}
