// A hand-written script for the data tools to be measured against: a dump that takes page after page, parses it and
// writes a line per entity; a load that sends a hundred lines per transaction. No types, no checksums, no retries, no
// resumption. `script.js dump|load ENDPOINT ACCOUNT KEY TABLE FILE`
import { createHmac } from 'node:crypto';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

const [, , what = '', endpoint = '', account = '', key = '', table = '', file = ''] = process.argv;
const agent = new Agent({ keepAlive: true });

function send(
  method: string,
  path: string,
  body = '',
  type = 'application/json',
): Promise<[string, Record<string, unknown>]> {
  return new Promise((resolve, reject) => {
    const url = new URL(endpoint + path);
    const date = new Date().toUTCString();
    const signature = createHmac('sha256', Buffer.from(key, 'base64'))
      .update(`${date}\n/${account}${url.pathname}`)
      .digest('base64');
    const headers = {
      authorization: `SharedKeyLite ${account}:${signature}`,
      'x-ms-date': date,
      'x-ms-version': '2019-02-02',
      accept: 'application/json;odata=nometadata',
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    };
    request(url, { agent, method, headers }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', chunk => chunks.push(chunk));
      answer.on('end', () =>
        (answer.statusCode ?? 500) < 300
          ? resolve([Buffer.concat(chunks).toString(), answer.headers])
          : reject(new Error(Buffer.concat(chunks).toString())),
      );
    })
      .on('error', reject)
      .end(body);
  });
}

async function dump(): Promise<void> {
  const out = openSync(file, 'w');
  for (let query = ''; ; ) {
    const [text, headers] = await send('GET', `/${table}()${query}`);
    for (const entity of (JSON.parse(text) as { value: unknown[] }).value)
      writeSync(out, `${JSON.stringify(entity)}\n`);
    const [partition, row] = [
      headers['x-ms-continuation-nextpartitionkey'],
      headers['x-ms-continuation-nextrowkey'],
    ];
    if (partition === undefined) break;
    query = `?NextPartitionKey=${encodeURIComponent(String(partition))}&NextRowKey=${encodeURIComponent(String(row ?? ''))}`;
  }
  closeSync(out);
}

async function load(): Promise<void> {
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const parts = lines.map(
      line =>
        `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST ${endpoint}/${table} HTTP/1.1\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n\r\n${line}\r\n`,
    );
    await send(
      'POST',
      '/$batch',
      `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`,
      'multipart/mixed; boundary=b',
    );
    lines = [];
  };
  let partition = '';
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { PartitionKey } = JSON.parse(line) as { PartitionKey: string };
    if (lines.length === 100 || (PartitionKey !== partition && lines.length > 0)) await flush();
    partition = PartitionKey;
    lines.push(line);
  }
  await flush();
}

if (what === 'load') await send('POST', '/Tables', JSON.stringify({ TableName: table }));
await (what === 'dump' ? dump() : load());
agent.destroy();
