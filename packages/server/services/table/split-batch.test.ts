// A batch that arrives in two packets, cut at every byte of its body, is the same batch.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { listen } from '#http';
import { parseBatch } from '#wire/table';

const BODY = Buffer.from(
  [
    '--batch_a',
    'Content-Type: multipart/mixed; boundary=changeset_b',
    '',
    '--changeset_b',
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    "PUT /T(PartitionKey='ä',RowKey='1') HTTP/1.1",
    'Content-Type: application/json',
    '',
    '{"name":"Köln \u{1f600}"}',
    '--changeset_b--',
    '--batch_a--',
    '',
  ].join('\r\n'),
);
const TYPE = 'multipart/mixed; boundary=batch_a';

/** What was parsed, as text that can be compared. */
const parsed = (type: string | undefined, body: Buffer): string => JSON.stringify(parseBatch(type, body));

test('a batch cut at every byte of its body', async t => {
  const listener = await listen({ host: '127.0.0.1', port: 0 }, async ({ headers, body, stream }) => {
    const whole = stream ? await stream.collect(BODY.length) : { body };
    const text = parsed(headers['content-type'], whole.body);
    return { status: 200, headers: [['Content-Length', String(Buffer.byteLength(text))]], body: text };
  });
  const socket = connect(listener.port, '127.0.0.1').setNoDelay(true);
  t.after(() => {
    socket.destroy();
    return listener.close();
  });
  await once(socket, 'connect');
  const head = `POST /a/$batch HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: ${BODY.length}\r\n\r\n`;
  const expected = parsed(TYPE, BODY);
  const ending = Buffer.from(expected).toString('latin1');
  assert.match(expected, /changeset/);
  for (let cut = 0; cut <= BODY.length; cut++) {
    socket.write(Buffer.concat([Buffer.from(head), BODY.subarray(0, cut)]));
    await turn();
    await turn();
    socket.write(BODY.subarray(cut));
    let answer = '';
    while (!answer.endsWith(ending)) {
      const [chunk]: Buffer[] = await once(socket, 'data', { signal: AbortSignal.timeout(120_000) });
      answer += chunk?.toString('latin1') ?? '';
    }
  }
});
