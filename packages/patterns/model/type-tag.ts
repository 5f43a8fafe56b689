// The type tag of a row: an entity's name and version, as `Employee.2`. Rows of other programs may have the name alone.

/** The name and version that a tag says. */
interface TypeTag {
  readonly name: string;
  readonly version: number;
}

const TAG = /^(.+)\.([1-9]\d{0,8})$/s;

/** `Employee.2`. */
export const formatTag = ({ name, version }: TypeTag): string => `${name}.${version}`;

/** A text without a version is a name, of version 1. */
export function parseTag(text: string): TypeTag {
  const [, name, version] = TAG.exec(text) ?? [];
  return name === undefined ? { name: text, version: 1 } : { name, version: Number(version) };
}
