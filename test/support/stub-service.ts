// The common part of services that exist for tests: resources are names, the permission for one is a letter, and
// callers that sign with a key or a shared access signature are admitted. Each service defines its operations and
// answers.
import type { Right } from '#server/parts';
import {
  parseServiceSas,
  type ServiceRoute,
  serviceSasStringToSign,
  storageStringsToSign,
  type TargetGrammar,
} from '#wire';

type StubRoute = ServiceRoute<string>;

/** The permission for a resource: `w` or `r`, and the action of that name. */
export const stubRight = (service: string, letter: string): Right => ({
  account: { types: 'o', needs: [letter] },
  service: [letter],
  actions: [`${service}s/${letter}`],
});

/** The members of a `ServiceProtocol` for authorization. */
export const stubProtocol = (name: string) => ({
  name,
  letter: name.charAt(0),
  refusesBodyFirst: true,
  grammar: {
    parseQuery: query => new Map(new URLSearchParams(query)),
    parseResource: path => path,
  } satisfies TargetGrammar<string>,
  since: '',
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
