// Uploads of contents that break off, that are shorter or longer than they said, or whose digest is another one: refused or forgotten, and nothing is
// left of them, neither a file in the directory of contents nor a block, and what was there before stays.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  BlobServiceClient,
  type ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { until } from '#base/testing/until';

/** Larger than what a row holds, and than what the server reads ahead. */
const LARGE = 700 * 1024;
const SMALL = 2048;
const isLong = process.env.SHELFMARK_LONG !== undefined;
/** A content in its row is cut off by the same code: `npm run verify blobs` has it too. */
const LENGTHS = isLong ? [SMALL, LARGE] : [LARGE];
/** Of a body, that are sent before it is cut off. */
const SHARES = isLong ? [0, 0.001, 0.5, 1] : [0.5];
/** Consecutive looks that must find the expected files: the server may not have begun with an upload that was just cut off. */
const LOOKS = 5;
const BLOCK = Buffer.from('block').toString('base64');

interface Upload {
  readonly name: string;
  readonly query: string;
  readonly headers: string;
}

const UPLOADS: readonly Upload[] = [
  { name: 'new', query: '', headers: 'x-ms-blob-type: BlockBlob\r\n' },
  { name: 'old', query: '', headers: 'x-ms-blob-type: BlockBlob\r\n' },
  { name: 'staged', query: `comp=block&blockid=${encodeURIComponent(BLOCK)}&`, headers: '' },
  { name: 'log', query: 'comp=appendblock&', headers: '' },
  { name: 'pages', query: 'comp=page&', headers: 'x-ms-page-write: update\r\n' },
];

describe('broken uploads', () => {
  const directory = mkdtempSync(join(tmpdir(), 'broken-uploads-'));
  let server: RunningServer;
  let container: ContainerClient;
  let signature: string;
  /** The contents that stay. */
  let kept: readonly string[];
  before(async () => {
    server = await serve({ data: directory, durability: 'none', logLevel: 'fatal' as 'error' });
    container = BlobServiceClient.fromConnectionString(server.connectionString()).getContainerClient(
      'broken',
    );
    await container.create();
    const credential = new StorageSharedKeyCredential(server.account.name, server.account.key);
    signature = generateBlobSASQueryParameters(
      {
        containerName: 'broken',
        permissions: ContainerSASPermissions.parse('racw'),
        expiresOn: new Date(Date.now() + 3_600_000),
      },
      credential,
    ).toString();
    await container.uploadBlockBlob('old', 'as it was', 9);
    await container.uploadBlockBlob('large', Buffer.alloc(LARGE), LARGE);
    kept = files();
    assert.equal(kept.length, 1);
    await container.getAppendBlobClient('log').create();
    await container.getAppendBlobClient('log').appendBlock('line', 4);
    await container.getPageBlobClient('pages').create(1024 * 1024);
  });
  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  const headOf = ({ name, query, headers }: Upload, length: number, more = ''): string => {
    const range = headers.includes('page-write') ? `x-ms-range: bytes=0-${length - 1}\r\n` : '';
    return `PUT /devstoreaccount1/broken/${name}?${query}${signature} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n${headers}${range}${more}\r\n`;
  };
  const open = async (): Promise<Socket> => {
    const socket = connect(server.blobPort ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    return socket.on('error', () => undefined);
  };
  /** What the server says until it closes, or until it has answered. */
  const answerTo = async (socket: Socket): Promise<string> => {
    let text = '';
    for await (const piece of socket) {
      text += piece;
      if (text.includes('\r\n\r\n')) break;
    }
    return text;
  };
  const statusOf = (answer: string): string => answer.slice(9, 12);

  const files = (): string[] =>
    readdirSync(join(directory, 'contents'), { recursive: true, encoding: 'utf8' })
      .filter(name => /^\d+.\w+$/.test(name))
      .sort();
  const unchanged = async (what: string): Promise<void> => {
    let looks = 0;
    await until(`no more contents than ${kept}, ${what}`, () => {
      looks = files().join() === kept.join() ? looks + 1 : 0;
      return looks > LOOKS;
    });
    assert.equal(await container.getBlobClient('new').exists(), false, what);
    assert.equal((await container.getBlobClient('old').downloadToBuffer()).toString(), 'as it was', what);
    assert.equal((await container.getBlobClient('log').downloadToBuffer()).toString(), 'line', what);
    assert.deepEqual((await container.getPageBlobClient('pages').getPageRanges()).pageRange ?? [], [], what);
    const names: string[] = [];
    for await (const { name } of container.listBlobsFlat({ includeUncommitedBlobs: true })) names.push(name);
    assert.deepEqual(names, ['large', 'log', 'old', 'pages'], what);
  };

  for (const length of LENGTHS)
    test(`of ${length} bytes: cut off, or ended before their length`, async () => {
      for (const upload of UPLOADS)
        for (const sent of SHARES.map(share => Math.floor(share * (length - 1)))) {
          const what = `${upload.name} ${upload.query} ${sent} of ${length}`;
          for (const leave of ['destroy', 'end'] as const) {
            const socket = await open();
            socket.write(headOf(upload, length));
            await new Promise(resolve => socket.write(Buffer.alloc(sent, 'x'), resolve));
            // So that the body is being taken in.
            if (sent > 1) await new Promise(resolve => setTimeout(resolve, 3));
            socket[leave]();
            if (leave === 'end') assert.notEqual(statusOf(await answerTo(socket)), '201', what);
            socket.destroy();
          }
        }
      await unchanged(`${length}`);
    });

  for (const length of LENGTHS)
    test(`of ${length} bytes: with another digest`, async () => {
      const wrong = [
        ['Content-MD5', Buffer.alloc(16), 'Md5Mismatch'],
        ['x-ms-content-crc64', Buffer.alloc(8), 'Crc64Mismatch'],
      ] as const;
      for (const upload of UPLOADS)
        for (const [name, digest, code] of wrong) {
          const socket = await open();
          socket.write(headOf(upload, length, `${name}: ${digest.toString('base64')}\r\n`));
          socket.write(Buffer.alloc(length, 'x'));
          const answer = await answerTo(socket);
          assert.equal(statusOf(answer), '400', answer);
          assert.match(answer, new RegExp(`x-ms-error-code: ${code}\r\n`));
        }
      await unchanged(`${length}`);
    });

  test('what follows a body is not of it', async () => {
    const socket = await open();
    const upload = { name: 'longer', query: '', headers: 'x-ms-blob-type: BlockBlob\r\n' };
    socket.write(`${headOf(upload, 5)}12345678\r\n\r\n`);
    let answers = '';
    for await (const piece of socket) answers += piece;
    assert.match(answers, /^HTTP\/1\.1 201 /);
    assert.match(answers, /HTTP\/1\.1 400 /, 'the rest is no request');
    const blob = container.getBlobClient('longer');
    assert.equal((await blob.downloadToBuffer()).toString(), '12345');
    await blob.delete();
  });
});
