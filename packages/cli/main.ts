// The `shelfmark` command: its subcommands, one file each. Without a subcommand it serves, as `azurite` does.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { backupCommand } from './backup.js';
import { checkCommand } from './check.js';
import { restoreCommand } from './restore.js';
import { serveCommand } from './serve.js';
import { tokenCommand } from './token.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('shelfmark')
  .description('A durable, fast Table store that speaks the Azure Storage Table REST API')
  .version(version)
  .addCommand(serveCommand(), { isDefault: true })
  .addCommand(tokenCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(checkCommand());

await program.parseAsync();
