// `npm run example -- NAME`: a server in this process, and one of the examples on it. Without a name it lists them; `all` runs one after the other.
import { TableServiceClient } from '@azure/data-tables';
import { serve } from 'shelfmark';
import { EXAMPLES, isExampleName } from './examples.js';

async function runExample(name: keyof typeof EXAMPLES): Promise<void> {
  const { title, run } = EXAMPLES[name];
  process.stdout.write(`${title}\n`);
  const server = await serve({ data: undefined });
  try {
    const client = TableServiceClient.fromConnectionString(server.connectionString(), {
      allowInsecureConnection: true,
    });
    await run(client, line => process.stdout.write(`${line}\n`), server.connectionString());
  } finally {
    await server.close();
  }
}

const [wanted = ''] = process.argv.slice(2);
const names = Object.keys(EXAMPLES).filter(isExampleName);
if (wanted === 'all') for (const name of names) await runExample(name);
else if (isExampleName(wanted)) await runExample(wanted);
else {
  process.stderr.write(`Examples: ${names.join(', ')}, or all.\n`);
  process.exitCode = 1;
}
