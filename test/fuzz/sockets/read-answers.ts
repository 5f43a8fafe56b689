// The answers in the bytes of a connection, read as strictly as they must be written.
import assert from 'node:assert/strict';
import type { SeenAnswer } from '../direct/check-answer.js';

export interface SocketAnswer extends SeenAnswer {
  /** The server ends the connection after it. */
  readonly isLast: boolean;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\t\x20-\x7e\x80-\xff]*$/;
const FIELD = /^([!#$%&'*+.^_`|~\w-]+): ([\t\x20-\x7e\x80-\xff]*)$/;

/** `methodOf` returns the method that an answer is for. Bytes after the last whole answer are a mistake. */
export function readAnswers(bytes: Buffer, methodOf: (answer: number) => string): SocketAnswer[] {
  const answers: SocketAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    assert.ok(headEnd >= 0, `A head does not end: ${bytes.toString('latin1', at, at + 200)}`);
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? assert.fail(`No status line: ${statusLine}`));
    at = headEnd + 4;
    if (status === 100) {
      assert.deepEqual(lines, []);
      continue;
    }
    const headers = lines.map((line): readonly [string, string] => {
      const [, name = assert.fail(`No header: ${line}`), value = ''] = FIELD.exec(line) ?? [];
      return [name, value];
    });
    const fieldOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    const isHead = methodOf(answers.length) === 'HEAD';
    // A refused HEAD describes no body (protocol: responses#refusals-of-head).
    const byDefault = isHead && status >= 400 ? '0' : undefined;
    const length = Number(fieldOf('content-length') ?? byDefault ?? assert.fail('There is no length.'));
    const until = isHead ? at : at + length;
    assert.ok(until <= bytes.length, `A body ends after ${bytes.length - at} of ${length} bytes.`);
    const isLast = fieldOf('connection') === 'close';
    answers.push({ status, headers, body: bytes.subarray(at, until), isHead, isLast });
    at = until;
    assert.ok(!isLast || at === bytes.length, 'Something comes behind the last answer.');
  }
  return answers;
}
