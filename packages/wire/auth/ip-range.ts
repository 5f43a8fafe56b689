// The addresses from which a shared access signature may be used: `sip` (protocol: sas#fields).

/** IPv4 addresses as numbers, both ends in the range. */
export interface IpRange {
  readonly first: number;
  readonly last: number;
}

const OCTETS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseIp(text: string): number | undefined {
  const octets = OCTETS.exec(text)?.slice(1).map(Number);
  if (!octets || octets.some(octet => octet > 255)) return undefined;
  return octets.reduce((address, octet) => address * 256 + octet, 0);
}

/** `10.0.0.1` or `10.0.0.1-10.0.0.9`; undefined for any other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [firstText = '', lastText = firstText, ...more] = text.split('-');
  const first = parseIp(firstText);
  const last = parseIp(lastText);
  if (first === undefined || last === undefined || more.length > 0 || first > last) return undefined;
  return { first, last };
}

/** An IPv4 address may come as IPv6 (`::ffff:10.0.0.1`); any other IPv6 address is in no range. */
export function isInIpRange({ first, last }: IpRange, address: string): boolean {
  const ip = parseIp(address.replace(/^::ffff:/i, ''));
  return ip !== undefined && ip >= first && ip <= last;
}
