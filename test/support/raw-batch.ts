// Bodies of POST /$batch as clients write them, with the boundaries `batch_1` and `changeset_1`.

export interface Part {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly mimeHeaders?: readonly string[];
  readonly body?: string;
}

/** The head of each part. */
export const PART_HEAD = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary'];

/** The lines of a request inside of a part. */
export const request = ({ method, target, headers = [], body }: Part): string[] => [
  `${method} ${target} HTTP/1.1`,
  ...headers,
  ...(body === undefined ? [] : ['Content-Type: application/json']),
  '',
  body ?? '',
];

/** One changeset in its batch. */
export function changeset(parts: readonly Part[], newline = '\r\n'): string {
  const lines = ['--batch_1', 'Content-Type: multipart/mixed; boundary=changeset_1', ''];
  for (const part of parts)
    lines.push('--changeset_1', ...PART_HEAD, ...(part.mimeHeaders ?? []), '', ...request(part));
  lines.push('--changeset_1--', '--batch_1--');
  return lines.join(newline);
}
