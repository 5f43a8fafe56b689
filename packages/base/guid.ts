// The texts of a GUID that .NET reads, which Azure takes from clients (protocol: leases#ids). X may have fewer digits and blanks, as in .NET.

/** .NET's names: 32 digits, with hyphens, in braces, in parentheses, numbers in hexadecimal. */
export type GuidForm = 'N' | 'D' | 'B' | 'P' | 'X';

const HYPHENATED = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const number = (digits: number): string => `\\s*0x([0-9a-f]{1,${digits}})\\s*`;
/** The digits of each number. */
const NUMBERS = [8, 4, 4, ...Array.from({ length: 8 }, () => 2)];
const WORDS = NUMBERS.slice(0, 3).map(number).join(',');
const BYTES = NUMBERS.slice(3).map(number).join(',');

const FORMS: Readonly<Record<GuidForm, RegExp>> = {
  N: /^[0-9a-f]{32}$/i,
  D: new RegExp(`^${HYPHENATED}$`, 'i'),
  B: new RegExp(`^\\{${HYPHENATED}\\}$`, 'i'),
  P: new RegExp(`^\\(${HYPHENATED}\\)$`, 'i'),
  X: new RegExp(`^\\{${WORDS},\\s*\\{${BYTES}\\}\\s*\\}$`, 'i'),
};
const ALL: readonly GuidForm[] = ['D', 'N', 'B', 'P', 'X'];

function digitsOf(text: string, form: GuidForm): string {
  if (form !== 'X') return text.replace(/[-{}()]/g, '');
  const numbers = FORMS.X.exec(text)?.slice(1) ?? [];
  return numbers.map((digits, at) => digits.padStart(NUMBERS[at] ?? 0, '0')).join('');
}

/** In lower case with hyphens; undefined for a text in none of the forms. */
export function parseGuid(text: string, forms = ALL): string | undefined {
  const form = forms.find(each => FORMS[each].test(text));
  if (form === undefined) return undefined;
  if (form === 'D') return text.toLowerCase();
  return digitsOf(text, form)
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
