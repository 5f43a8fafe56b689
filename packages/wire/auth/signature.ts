// The form of a signature: the standard base64 of an HMAC-SHA256, 32 bytes in exactly 44 characters. A decoder that reads past what it
// does not know would let many texts stand for one signature (protocol: authentication#the-form-of-a-signature).

/** The last character before the pad has two bits that are not used: they are zero. */
export const SIGNATURE_PATTERN = '[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=';
const SIGNATURE = new RegExp(`^${SIGNATURE_PATTERN}$`);
const SIGNATURE_BYTES = 32;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What Azure says against the `sig` of a shared access signature; undefined for one that is well-formed. */
export function signatureFault(text: string): string | undefined {
  if (SIGNATURE.test(text)) return undefined;
  const isOfOtherSize = BASE64.test(text) && Buffer.byteLength(text, 'base64') !== SIGNATURE_BYTES;
  return isOfOtherSize ? 'Signature size is invalid' : 'Signature fields not well formed.';
}
