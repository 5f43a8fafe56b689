// No key and no signature of an address remains, wherever in a sentence it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redacted } from './tool-error.js';

test('keys and signatures are left out, and nothing else', () => {
  const string =
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Eby8vdM0/+x==;TableEndpoint=http://a';
  assert.equal(
    redacted(`${string} is not there.`),
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=…;TableEndpoint=http://a is not there.',
  );
  assert.equal(
    redacted('"accountkey=abc==" and \'https://a/T?sv=1&sig=a%2Fb%3D&se=2\' differ'),
    '"accountkey=…" and \'https://a/T?sv=1&sig=…&se=2\' differ',
  );
  assert.equal(redacted('SharedAccessSignature=sv=1&sig=abc;x=y'), 'SharedAccessSignature=…;x=y');
  assert.equal(redacted('design=1 sig is 2'), 'design=1 sig is 2');
});
