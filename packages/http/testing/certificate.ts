// A certificate for the tests of TLS, generated each time, so that no key is in the repository. It is the smallest that
// X.509 allows: version 1, self-signed.
import { generateKeyPairSync, sign } from 'node:crypto';

/** Lengths up to 65,535 bytes. */
function der(tag: number, ...contents: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(contents.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');

const pem = (label: string, bytes: Buffer): Buffer =>
  Buffer.from(`-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`);

export function makeCertificate(): { readonly cert: Buffer; readonly key: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256));
  const attribute = der(SEQUENCE, der(OBJECT_IDENTIFIER, COMMON_NAME), der(UTF8_STRING, 'localhost'));
  const name = der(SEQUENCE, der(SET, attribute));
  const validity = der(SEQUENCE, der(UTC_TIME, '200101000000Z'), der(GENERALIZED_TIME, '99991231235959Z'));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const signed = der(SEQUENCE, der(INTEGER, Buffer.of(1)), algorithm, name, validity, name, spki);
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', signed, privateKey));
  return {
    cert: pem('CERTIFICATE', der(SEQUENCE, signed, algorithm, signature)),
    key: Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}
