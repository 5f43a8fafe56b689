// The `shelfmark` command: its subcommands, one file each. Without a subcommand it serves, as `azurite` does.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** In the order of the help. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  token: async () => (await import('./token.js')).tokenCommand(),
  backup: async () => (await import('./backup.js')).backupCommand(),
  restore: async () => (await import('./restore.js')).restoreCommand(),
  check: async () => (await import('./check.js')).checkCommand(),
};

const program = new Command('shelfmark')
  .description('A durable, fast Table store that speaks the Azure Storage Table REST API')
  .version(version);

// A subcommand that is named is loaded alone: a check then starts in half the time, without the server.
const [, , named = ''] = process.argv;
for (const name of Object.hasOwn(SUBCOMMANDS, named) ? [named] : Object.keys(SUBCOMMANDS)) {
  const subcommand = await SUBCOMMANDS[name]?.();
  if (subcommand !== undefined) program.addCommand(subcommand, { isDefault: name === 'serve' });
}

await program.parseAsync();
