// The common part of services that exist for tests: resources are names, the right to one is a letter, and a valid shared key or
// shared access signature suffices. Each such service defines its own operations and answers.
import { BODY_BYTES_MAX, type Right } from '#server';
import {
  parseServiceSas,
  type ServiceRoute,
  serviceSasStringToSign,
  storageStringsToSign,
  type TargetGrammar,
} from '#wire';

export type StubRoute = ServiceRoute<string>;

/** The right to a resource: `w` or `r`, and the action of that name. */
export const stubRight = (service: string, letter: string): Right => ({
  account: { types: 'o', needs: [letter] },
  service: [letter],
  actions: [`${service}s/${letter}`],
});

/** The members of a `ServiceProtocol` for authentication, and for how much of a body is buffered. */
export const stubProtocol = (name: string) => ({
  name,
  letter: name.charAt(0),
  bodyBytesMax: BODY_BYTES_MAX,
  refusesBodyFirst: true,
  grammar: {
    parseQuery: query => new Map(new URLSearchParams(query)),
    parseResource: path => path,
  } satisfies TargetGrammar<string>,
  checkVersion: () => undefined,
  kindOfRefused: () => undefined,
  stringsToSign: storageStringsToSign,
  signedResource: ({ account, resource }: StubRoute) => `${account}/${resource}`,
  sasFields: [],
  parseSas: (query: ReadonlyMap<string, string>, { resource }: StubRoute) =>
    parseServiceSas(query, {
      fields: [],
      letters: /^[rw]+$/,
      resourceOf: () => resource,
      rangeOf: () => undefined,
    }),
  sasStringToSign: (sas: Parameters<typeof serviceSasStringToSign>[0], account: string) =>
    serviceSasStringToSign(sas, account, name, []),
  readPolicies: async () => undefined,
});
