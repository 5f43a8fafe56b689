// Bodies that identify themselves: each is a sequence of parts, and each part names its blob, its version and its length, and is filled
// with a letter of its version. So a reader sees whether a body is whole without knowing what was written.

export interface Part {
  /** Whose it is. */
  readonly owner: string;
  /** Rises with each write of an owner. */
  readonly version: number;
  /** Number of parts of the version. */
  readonly at: number;
  readonly of: number;
  readonly length: number;
}

const HEAD = /\[(\S+) (\d+) (\d+)\/(\d+) (\d+)\]/y;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const fillOf = (version: number): string => LETTERS[version % LETTERS.length] ?? '';

/** At least as long as its head. */
export function partText({ owner, version, at, of, length }: Part): string {
  const head = `[${owner} ${version} ${at}/${of} ${length}]`;
  return head.padEnd(length - 1, fillOf(version)).padEnd(length, '.');
}

export const showParts = (parts: readonly Part[]): string =>
  parts.map(({ owner, version, at, of, length }) => `${owner} ${version} ${at}/${of} ${length}`).join(', ');

/** A text if the body is not a sequence of parts. Zeros may follow them: cleared pages. */
export function partsOf(body: string): readonly Part[] | string {
  const parts: Part[] = [];
  for (let from = 0; from < body.length; ) {
    HEAD.lastIndex = from;
    const [, owner, version, at, of, length] = HEAD.exec(body) ?? [];
    if (owner === undefined) {
      const rest = body.slice(from);
      return /^\0+$/.test(rest) ? parts : `No part begins at ${from} of ${body.length}: ${rest.slice(0, 40)}`;
    }
    const part = {
      owner,
      version: Number(version),
      at: Number(at),
      of: Number(of),
      length: Number(length),
    };
    if (body.slice(from, from + part.length) !== partText(part))
      return `The part ${showParts([part])} at ${from} of ${body.length} is not whole.`;
    parts.push(part);
    from += part.length;
  }
  return parts;
}

/** What of the body cannot be one version of a blob of that kind. */
export function faultOfBody(kind: string, owner: string, body: string): string | undefined {
  const parts = partsOf(body);
  if (typeof parts === 'string') return parts;
  const strange = parts.find(part => part.owner !== owner);
  if (strange !== undefined) return `${showParts([strange])} is not of ${owner}.`;
  const isRight =
    kind === 'append'
      ? parts.every((part, index) => part.version > (parts[index - 1]?.version ?? -1))
      : parts.every(
          ({ version, at, of }, index) =>
            version === parts[0]?.version && of === parts.length && at === index + 1,
        );
  return isRight ? undefined : `It is parts of several versions: ${showParts(parts)}`;
}
