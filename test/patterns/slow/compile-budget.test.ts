// What the library's types cost the compiler: a hundred entities of twenty properties, used as programs use them. The bound is on the number of types that are
// made, which is the same on every computer; the seconds are printed.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../support/spawned-server.js';
import { compileByCommand } from './compile-program.js';

const ENTITIES = 100;
const INSTANTIATIONS_PER_ENTITY_MAX = 1500;
/** Its rows are an entity of their own, which is defined and queried here. */
const INSTANTIATIONS_PER_INDEX_MAX = 1000;

const TYPES = ['string', 'int32', 'int64', 'double', 'bool', 'instant', 'guid', 'bytes'] as const;

/** Indexes of each kind, and how they are used. */
const INDEXES = {
  none: { definition: '', use: () => '' },
  'same-partition': {
    definition: `
  indexes: {
    byTenant: { kind: near, row: p => key('tenant', p.tenant.as(codec.lower)), unique: true, project: ['p0', 'p1'] },
    byNumber: { kind: near, row: p => key('number', p.number), project: 'all' },
  },`,
    use: (at: number) => `
  const hit = await repo.index('byTenant').get({ tenant: 'a' });
  // @ts-expect-error it is not projected
  void hit?.value.p2;
  const [copy] = await repo.index('byNumber').partition({ tenant: 'a' }).rows({ number: 1 }).take(1);
  if (copy) await repo.get(copy.value);
  // @ts-expect-error no such index
  void repo.index('by${at}');`,
  },
  remote: {
    definition: `
  indexes: {
    byTenant: { kind: remote, partition: p => key('tenant', p.tenant.as(codec.lower)), row: key('a'), project: ['p0', 'p1'] },
    byNumber: { kind: remote, table: 'Numbers', partition: p => key(p.number), row: key('b'), project: 'all' },
  },`,
    use: (at: number) => `
  const hit = await repo.index('byTenant', 'index-only').partition({ tenant: 'a' }).first();
  // @ts-expect-error it is not projected
  void hit?.value.p2;
  const [whole] = await repo.index('byNumber', 'verified').partition({ number: 1 }).rows({ tenant: 'a' }).take(1);
  if (whole) await repo.replace(whole, whole.value);
  // @ts-expect-error no such index
  void (() => repo.index('by${at}', 'index-only'));`,
  },
} as const;
type Kind = keyof typeof INDEXES;

/** One entity, its values written, read and queried, and uses that the compiler must refuse. */
function source(at: number, kind: Kind): string {
  const props = Array.from({ length: 18 }, (_, i) => {
    const type = TYPES[(at + i) % TYPES.length];
    return `    p${i}: t.${type}()${i % 3 === 0 ? '.optional()' : ''}${i % 5 === 0 ? `.stored('P${i}')` : ''},`;
  });
  return `
const E${at} = entity('E${at}', {
  version: 1,
  table: 'Table${at}',
  props: {
    tenant: t.string(),
    number: t.int32(),
${props.join('\n')}
  },
  partition: p => key(p.tenant.as(codec.hash(16)), p.tenant),
  row: p => key('e${at}', p.number.as(codec.int(6))),${INDEXES[kind].definition}
});
export async function use${at}(db: Db, row: WireObject, value: Of<typeof E${at}>): Promise<KeyOf<typeof E${at}>> {
  const repo = db.repo(E${at});
  const stored = await repo.create(value);
  const read = decodeEntity(E${at}, row);
  // @ts-expect-error no such property
  void read.value.nothing;
  // @ts-expect-error a property is missing
  void repo.create({ tenant: 'a', number: 1 });
  const lead: RowLead<typeof E${at}> = { number: stored.value.number };
  await repo.get({ tenant: value.tenant, number: lead.number ?? 0 });
  const query = repo.partition({ tenant: 'a' }).rows({ number: 1 }).where(p => p.tenant.eq('a').and(p.number.gt(3)));
  const [first] = await query.select('p0').take(1);
  if (first?.value.p0 === undefined) await repo.scan().allowScan('none').take(1);
  // @ts-expect-error it was not selected
  void first?.value.p1;
${INDEXES[kind].use(at)}
  return { tenant: read.value.tenant, number: encodeEntity(E${at}, value).value.number };
}
`;
}

const HEAD = `import { codec, type Db, entity, key, type KeyOf, type Of, t } from '#patterns';
import { near, remote } from '#patterns/indexes';
import { decodeEntity, encodeEntity, type WireObject, type RowLead } from '#patterns/internals';
`;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shelfmark-types-'));
});
after(() => rm(folder, { recursive: true }));

/** Type-checks so many entities against the compiled package. */
async function check(entities: number, kind: Kind) {
  const declared = (name: string): readonly string[] => [join(ROOT, 'dist', 'packages', 'patterns', name)];
  const options = {
    strict: true,
    noEmit: true,
    extendedDiagnostics: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    skipLibCheck: true,
    paths: {
      '#patterns': declared('index.d.ts'),
      '#patterns/indexes': declared('indexes.d.ts'),
      '#patterns/internals': declared('internals.d.ts'),
    },
  };
  const text = HEAD + Array.from({ length: entities }, (_, at) => source(at, kind)).join('');
  await writeFile(join(folder, 'entities.ts'), text);
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const printed = await compileByCommand(compiler, { folder, files: ['entities.ts'], options });
  assert.doesNotMatch(printed, /error TS/);
  const figure = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(printed)?.[1]);
  return { instantiations: figure('Instantiations'), seconds: figure('Total time') };
}

for (const kind of ['none', 'same-partition', 'remote'] as const)
  test(`an entity ${kind === 'none' ? '' : `with two indexes (${kind}) `}costs the compiler little, and a hundred cost a hundred times that`, async context => {
    const few = await check(10, kind);
    const many = await check(ENTITIES, kind);
    const each = (many.instantiations - few.instantiations) / (ENTITIES - 10);
    context.diagnostic(
      `${each.toFixed(0)} instantiations an entity; ${many.seconds} s for ${ENTITIES} entities`,
    );
    const most = INSTANTIATIONS_PER_ENTITY_MAX + (kind !== 'none' ? 2 * INSTANTIATIONS_PER_INDEX_MAX : 0);
    assert(each > 0 && each <= most, `${each} instantiations an entity`);
  });
