// SHA-256 and its HMAC, for the hash of a query and the seal of a token. By hand, because a browser's own takes turns and wants a secure page, and Node's is not
// there; sha256.test.ts holds it to Node's. It hashes short texts.

const BLOCK = 64;

/** The first 32 bits of the fractional parts of a root of the first primes. */
function fractions(count: number, exponent: number): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++)
      if (candidate % divisor === 0) isPrime = false;
    if (isPrime) found.push(candidate);
  }
  return Uint32Array.from(found, prime => (prime ** exponent % 1) * 2 ** 32);
}

const START = fractions(8, 1 / 2);
const CONSTANTS = fractions(64, 1 / 3);

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The bytes, a bit, zeroes up to a block, and the number of bits. */
function padded(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK;
  const all = new Uint8Array(length);
  all.set(bytes);
  all[bytes.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, bytes.length * 8);
  return view;
}

function schedule(view: DataView, from: number, words: Uint32Array): void {
  for (let at = 0; at < 16; at++) words[at] = view.getUint32(from + 4 * at);
  for (let at = 16; at < 64; at++) {
    const early = words[at - 15] ?? 0;
    const late = words[at - 2] ?? 0;
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[at] = (words[at - 16] ?? 0) + low + (words[at - 7] ?? 0) + high;
  }
}

function mix(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at++) {
    const high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + high + choice + (CONSTANTS[at] ?? 0) + (words[at] ?? 0)) | 0;
    const low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (low + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word;
}

/** 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  for (let from = 0; from < view.byteLength; from += BLOCK) {
    schedule(view, from, words);
    mix(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) digest.setUint32(4 * at, word);
  return new Uint8Array(digest.buffer);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The HMAC of the bytes with SHA-256: RFC 2104. */
export function hmacSha256(secret: Uint8Array, bytes: Uint8Array): Uint8Array {
  const key = new Uint8Array(BLOCK);
  key.set(secret.length > BLOCK ? sha256(secret) : secret);
  const inner = sha256(
    joined(
      key.map(byte => byte ^ 0x36),
      bytes,
    ),
  );
  return sha256(
    joined(
      key.map(byte => byte ^ 0x5c),
      inner,
    ),
  );
}

/** Whether both are the same, in a time that does not say where they differ. */
export function isSameSecret(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}
