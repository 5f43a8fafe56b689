// Shrinks a request that fails, as long as it still fails.
import type { FuzzRequest } from './some-request.js';

const TRIES_MAX = 400;

function smallerTexts(text: string): string[] {
  const texts: string[] = [];
  for (
    let size = Math.ceil(text.length / 2);
    size >= 1 && texts.length < 64;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < text.length && texts.length < 64; at += size)
      texts.push(text.slice(0, at) + text.slice(at + size));
  }
  return texts;
}

/** Everything that is one step smaller. The path stays: it is signed. */
function smallerRequests(request: FuzzRequest): FuzzRequest[] {
  const names = Object.keys(request.headers).filter(name => name !== 'host');
  const withoutHeader = names.map(dropped => ({
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== dropped)),
  }));
  const [path = '', query] = request.target.split('?', 2);
  const options = query === undefined ? [] : query.split('&');
  const withoutOption = options.map((_, dropped) => ({
    ...request,
    target: `${path}?${options.filter((_, i) => i !== dropped).join('&')}`,
  }));
  const withoutBody = smallerTexts(request.body.toString('latin1')).map(text => ({
    ...request,
    body: Buffer.from(text, 'latin1'),
  }));
  return [...withoutHeader, ...withoutOption, ...withoutBody];
}

/** `fails` starts from the same state at each call. */
export async function shrinkRequest(
  request: FuzzRequest,
  fails: (request: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let smallest = request;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < TRIES_MAX; ) {
    isSmaller = false;
    for (const smaller of smallerRequests(smallest)) {
      if (++tries > TRIES_MAX) break;
      if (await fails(smaller)) {
        smallest = smaller;
        isSmaller = true;
        break;
      }
    }
  }
  return smallest;
}
