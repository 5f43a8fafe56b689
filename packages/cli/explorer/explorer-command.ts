// `shelfmark explorer`: the explorer alone, for any account.
import { Command } from 'commander';
import { ExplorerRefused, openExplorer } from '#explorer';
import { ConfigurationError } from '#server/engines';
import { ADDRESS_HELP, addressOf, withUsageErrors } from '../data-tools/run-tool.js';
import { fail } from '../fail.js';
import { adviseOnListening } from '../options/listen-advice.js';
import { readTls } from '../options/read-tls.js';
import { parsePort } from '../options/values.js';

const EXPLORER_PORT_DEFAULT = 10_003;

interface Flags {
  readonly from?: string;
  readonly port: number;
  readonly host?: string;
  readonly allowRemoteExplorer?: boolean;
  readonly cert?: string;
  readonly key?: string;
}

const EXAMPLES = `
Examples:
  shelfmark explorer --from UseDevelopmentStorage=true      this machine's Shelfmark or Azurite
  shelfmark explorer --from @production                     a file with the connection string
${ADDRESS_HELP}

The page is for this machine only. Its link works once; the page can ask for another, which is printed here.`;

async function run(flags: Flags): Promise<void> {
  const address = addressOf('--from', flags.from);
  const explorer = await openExplorer({
    host: flags.host,
    port: flags.port,
    tls: readTls(flags),
    allowRemote: flags.allowRemoteExplorer,
    accounts: () => [address],
    onLink: link => process.stdout.write(`Open ${link} (the link works once)\n`),
  });
  process.stdout.write(`Shelfmark's explorer shows ${address.name} at ${explorer.url}\n`);
  const stop = (): void => void explorer.close().then(() => process.exit(0), fail);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

const asAdvice = (error: unknown): unknown => {
  if (error instanceof ExplorerRefused || (error instanceof Error && error.name === 'ToolError'))
    return new ConfigurationError(error.message);
  return adviseOnListening(error, []);
};

export function explorerCommand(): Command {
  const command = new Command('explorer')
    .description('serve a page that shows and edits the tables, queues and blobs of an account')
    .option('--from <source>', 'the account (default: SHELFMARK_FROM)')
    .option('--port <port>', 'port of the page; 0 picks a free port', parsePort, EXPLORER_PORT_DEFAULT)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--allow-remote-explorer',
      'allow --host to be an address other than loopback; needs --cert and --key',
    )
    .option('--cert <file>', 'certificate in PEM; with --key, serves HTTPS')
    .option('--key <file>', 'private key of the certificate, in PEM');
  return withUsageErrors(command)
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => run(flags).catch(error => fail(asAdvice(error))));
}
