// Refusals of the service by their texts, and the errors that they become.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRefusal, requestError, rowError } from './service-refusal.js';

const json = (code: string): string =>
  JSON.stringify({
    'odata.error': { code, message: { lang: 'en-US', value: 'A text.\nRequestId:a\nTime:b' } },
  });
const ADDRESS = { table: 'T', partitionKey: 'p', rowKey: 'r' };

describe('a refusal', () => {
  test('is read from JSON, from XML, and from nothing', () => {
    const none = { text: '', index: undefined, retryAfter: undefined };
    const read = parseRefusal(404, json('TableNotFound'));
    assert.deepEqual(read, { ...none, status: 404, code: 'TableNotFound', text: 'A text.' });
    const xml =
      '<?xml version="1.0"?><m:error xmlns:m="m"><m:code>AuthenticationFailed</m:code><m:message xml:lang="en-US">No.\nTime:b</m:message></m:error>';
    const text = { status: 403, code: 'AuthenticationFailed', text: 'No.' };
    assert.deepEqual(parseRefusal(403, xml), { ...none, ...text });
    const header = (name: string) => ({ 'retry-after': '3' })[name];
    assert.deepEqual(parseRefusal(503, '', header), { ...none, status: 503, code: '', retryAfter: 3 });
  });

  test('of a proxy is the beginning of its page, in one line', () => {
    const page = `\r\n<!DOCTYPE html>\n<html>\n  <title>502 Bad Gateway</title>${'x'.repeat(100_000)}`;
    const { message } = requestError(parseRefusal(502, page));
    const start =
      'ServiceRefused: The service answered 502: <!DOCTYPE html> <html> <title>502 Bad Gateway</title>xxx';
    assert.equal(message.slice(0, start.length), start);
    assert(message.length < 250, `${message.length} characters`);
  });

  test('becomes the error of its name', () => {
    for (const [status, code, name] of [
      [409, 'EntityAlreadyExists', 'AlreadyExists'],
      [412, 'UpdateConditionNotSatisfied', 'Conflict'],
      [404, 'ResourceNotFound', 'NotFound'],
      [404, 'TableNotFound', 'TableNotFound'],
      [503, 'ServerBusy', 'Throttled'],
      [429, '', 'Throttled'],
      [400, 'InvalidInput', 'ServiceRefused'],
    ] as const)
      assert.equal(rowError(parseRefusal(status, json(code)), ADDRESS, 'e').code, name, code);
    assert.equal(requestError(parseRefusal(404, json('ResourceNotFound'))).code, 'ServiceRefused');
  });
});
