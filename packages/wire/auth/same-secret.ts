// Compares two secrets that are texts. Bytes are compared by node's own function, where there is one (server/authenticate.ts).

/** Takes the same time wherever the two differ. That their lengths do is no secret. */
export function isSameSecret(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
