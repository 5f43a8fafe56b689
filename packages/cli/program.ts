// The `shelfmark` program: its subcommands, one file each. Without a subcommand it serves, as `azurite` does.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** In the order of the help. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  explorer: async () => (await import('./explorer/explorer-command.js')).explorerCommand(),
  token: async () => (await import('./token.js')).tokenCommand(),
  backup: async () => (await import('./backup.js')).backupCommand(),
  restore: async () => (await import('./restore.js')).restoreCommand(),
  check: async () => (await import('./check.js')).checkCommand(),
  dump: async () => (await import('./data-tools/dump.js')).dumpCommand(),
  load: async () => (await import('./data-tools/load.js')).loadCommand(),
  copy: async () => (await import('./data-tools/copy.js')).copyCommand(),
  'import-azurite': async () => (await import('./data-tools/import-azurite.js')).importAzuriteCommand(),
  diff: async () => (await import('./data-tools/diff.js')).diffCommand(),
  verify: async () => (await import('./data-tools/verify.js')).verifyCommand(),
  explain: async () => (await import('./data-tools/explain.js')).explainCommand(),
  stats: async () => (await import('./data-tools/stats.js')).statsCommand(),
  advise: async () => (await import('./data-tools/advise.js')).adviseCommand(),
  sas: async () => (await import('./data-tools/sas.js')).sasCommand(),
  reset: async () => (await import('./data-tools/reset.js')).resetCommand(),
  account: async () => (await import('./account/account-command.js')).accountCommand(),
  completion: async () => (await import('./completion.js')).completionCommand(SUBCOMMAND_NAMES, programOf),
};

export const SUBCOMMAND_NAMES: readonly string[] = Object.keys(SUBCOMMANDS);

/** The program with only these subcommands; no other files are loaded. */
export async function programOf(names: readonly string[]): Promise<Command> {
  const program = new Command('shelfmark')
    .description('Durable, self-hosted Azure Table, Queue and Blob Storage, and tools for any account')
    .version(version);
  for (const name of names) {
    const subcommand = await SUBCOMMANDS[name]?.();
    if (subcommand !== undefined) program.addCommand(subcommand, { isDefault: name === 'serve' });
  }
  return program;
}
