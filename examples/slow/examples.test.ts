// Runs every example to its end; each checks its own output.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TableServiceClient } from '@azure/data-tables';
import { serve } from 'shelfmark';
import { EXAMPLES } from '../examples.js';

describe('examples', () => {
  for (const [name, { run }] of Object.entries(EXAMPLES))
    test(name, async () => {
      const server = await serve({ data: undefined });
      try {
        const lines: string[] = [];
        const client = TableServiceClient.fromConnectionString(server.connectionString(), {
          allowInsecureConnection: true,
        });
        await run(client, line => lines.push(line), server.connectionString());
        assert(lines.length > 2);
      } finally {
        await server.close();
      }
    });
});
