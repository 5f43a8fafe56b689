// Programs that export what they read and write, compiled with declarations by every compiler from TypeScript 5.4 on: each type that the library infers has a name which
// another package can import. The compilers come from the registry; those that it does not give are skipped, and the project's own is always there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../support/spawned-server.js';
import { compileByCommand } from './compile-program.js';
import { completionsOf } from './editor-services.js';

const run = promisify(execFile);

/** The oldest that the library supports, the last of each line since, and the project's own. */
const VERSIONS = ['5.4.5', '5.9.3', '6.0.3', 'own'] as const;

const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
] as const;

/** Nothing is annotated: the compiler has to name all of it. */
const PROGRAM = `
import { TableServiceClient } from '@azure/data-tables';
import { codec, entity, key, open, PatternError, t } from 'shelfmark-patterns';
import { audit } from 'shelfmark-patterns/audit';
import { change, deleteRows, rebucket, rebucketing, writeAll } from 'shelfmark-patterns/bulk';
import { copies, embed } from 'shelfmark-patterns/copies';
import { contentKey, encrypted, encryption, reseal } from 'shelfmark-patterns/encryption';
import { fanOut } from 'shelfmark-patterns/fan-out';
import { move } from 'shelfmark-patterns/flows';
import { indexFlow, near, remote } from 'shelfmark-patterns/indexes';
import { link, linkMany, lookup } from 'shelfmark-patterns/joins';
import { larges, largeText } from 'shelfmark-patterns/large';
import { auditLists, list, listed, listFlow, listOf, lists } from 'shelfmark-patterns/lists';
import { bags, mixed } from 'shelfmark-patterns/mixed';
import { expiring } from 'shelfmark-patterns/rolling';
import { ring, series, seriesOf } from 'shelfmark-patterns/series';
import { wide, wideRepo } from 'shelfmark-patterns/wide';

export const Order = entity('Order', {
  version: 1,
  table: 'Orders',
  props: {
    customer: t.string(),
    at: t.instant(),
    state: t.oneOf('open', 'shut').default('open'),
    note: t.string().optional(),
    created: t.created(),
  },
  partition: p => key(p.customer.as(codec.hash(4)), p.customer),
  row: p => key('order', p.at.as(codec.timeDesc)),
});
export const Customer = entity('Customer', {
  version: 1,
  table: 'Orders',
  props: { customer: t.string(), name: t.string() },
  partition: p => key(p.customer.as(codec.hash(4)), p.customer),
  row: key('customer'),
});
export const Closed = entity('Closed', {
  version: 1,
  table: 'Closed',
  props: { kind: t.oneOf('paid', 'lost'), customer: t.string() },
  partition: p => key(p.kind),
  row: p => key(p.customer),
});
export const closing = move('closing', {
  from: Order,
  to: Closed,
  become: ({ customer }) => ({ kind: 'paid', customer }),
  keyOf: ({ customer }) => ({ kind: 'paid', customer }),
});
export const db = open({ tables: TableServiceClient.fromConnectionString('') });
export const orders = db.repo(Order);
export const row = () => orders.get({ customer: 'a', at: null as never });
export const written = (value: Parameters<typeof orders.create>[0]) => orders.create(value);
export const merged = async () => { const found = await row(); return found && orders.merge(found, { note: 'x' }); };
export const projection = () => orders.partition({ customer: 'a' }).select('note').take(1);
export const query = () => orders.partition({ customer: 'a' }).where(p => p.state.eq('open'));
export const range = () => orders.partition({ customer: 'a' }).rows({});
export const merged1 = () => fanOut([orders.partition({ customer: 'a' })]);
export const mergedEach = () => fanOut(orders.buckets({ customer: 'a' }).map(p => p.select('note')));
export const buckets = () => orders.buckets({ customer: 'a' });
export const latest = () => orders.partition({ customer: 'a' }).latest(3);
export const page = () => orders.partition({ customer: 'a' }).page({ size: 3 });
export const scan = () => orders.scan();
export const mixedQuery = () => mixed(db, Order, Customer).partition('a');
export const mixedRows = () => mixed(db, Order, Customer).partition('a').take(2);
export const batch = () => db.batch(Order, { customer: 'a' }).create(Customer, { customer: 'a', name: 'b' });
export const results = () => batch().commit();
export const reports = () => writeAll(db, [change.create(Customer, { customer: 'a', name: 'b' })]);
export const customerOf = link(Order, Customer, ({ customer }) => ({ customer }));
export const ordersOf = linkMany(Customer, Order, ({ customer }) => ({ partition: { customer } }));
export const customers = lookup(db, Customer, { ttl: 1, maxRows: 1 });
export const someBags = () => bags(db, 'Orders').partition('a').take(1);
export const plan = () => query().explain();
export const fault = (thrown: unknown) => (PatternError.is(thrown) ? thrown : undefined);
export const conflict = (thrown: unknown) => (PatternError.is(thrown, 'Conflict') ? thrown : undefined);
export const spec = { props: Order.props, partition: Order.partition };
export const key1 = (order: import('shelfmark-patterns').Of<typeof Order>) => Order.plan.row.encode(order);
export const each = link(Order, Customer, ({ customer }) => ({ customer })).loadAll;
export const follow = () => customerOf.follow(db, [] as never[]);
export const many = () => ordersOf.takeAll(db, [], 3);
export const cached = () => customers.get({ customer: 'a' });
export const joined = () => customers.join(fanOut(orders.buckets({ customer: 'a' })), ({ value }) => ({ customer: value.customer }));
export const deletes = () => deleteRows(db, query(), { conditional: true });
export const mutated = () => orders.mutate({ customer: 'a', at: null as never }, order => order);
export const unreadable = () => query().onUnreadable('skip');
export const changes = [change.upsert(Customer, { customer: 'a', name: 'b' })];
export const upserted = () => orders.upsertMerge({ customer: 'a', at: null as never });
export const bagQuery = () => bags(db, 'Orders').scan().where(p => p.string('a').eq('b'));
export const pages = () => query().pages();
export const projected = () => orders.partition({ customer: 'a' }).select('note', 'state');
export const partition = () => orders.partition({ customer: 'a' });
export const code = (thrown: unknown) => (PatternError.is(thrown) ? thrown.code : undefined);
export class Service { readonly rows = db.repo(Order); query() { return this.rows.partition({ customer: 'a' }); } }

export const Person = entity('Person', {
  version: 1,
  table: 'People',
  props: {
    team: t.string(), id: t.int32(), last: t.string(), email: t.string(), at: t.instant(), text: largeText(),
    secret: encrypted(t.string()), key: contentKey(), hours: series(t.int32(), 24), beats: ring(t.int32(), { slots: 3, every: 'hour' as never }),
  },
  partition: p => key(p.team),
  row: p => key('person', p.id),
  indexes: {
    byLast: { kind: near, row: p => key('last', p.last) },
    byEmail: { kind: remote, partition: p => key('mail', p.email), row: key('mail') },
  },
});
export const people = db.repo(Person);
export const nearby = () => people.index('byLast').partition({ team: 'a' }).rows({ last: 'x' });
export const behind = () => people.index('byEmail', 'index-only');
export const verified = () => people.index('byEmail', 'verified');
export const verifiedRows = () => verified().partition({ email: 'a' });
export const verifiedWhere = () => verifiedRows().where(p => p.email.eq('a'));
export const verifiedPlan = () => verifiedRows().explain();
export const findings = () => audit(db, Person);
export const keeping = indexFlow(Person);
export const figures = () => keeping.figures(db);
export const working = () => keeping.worker(db);
export const aside = () => keeping.poison(db);
export const changing = codec.hash(4, rebucketing(2));
export const moved = () => rebucket(db, Person);
export const boss = embed('boss', Customer, ['name']);
export const Team = entity('Team', {
  version: 1, table: 'Teams', props: { id: t.string(), lead: t.string().optional(), ...boss.props }, partition: key('teams'), row: p => key(p.id),
});
export const bosses = copies('bosses', {
  holder: Team, embedded: boss, keyOf: ({ lead }) => (lead === undefined ? undefined : { customer: lead }),
  whenDeleted: 'null', holders: own => own.repo(Team).partition({}),
});
export const bossPlan = () => bosses.explain(db, { customer: 'a' });
export const bossAudit = () => bosses.audit(db);
export const Tag = list('Tag', { table: 'Tags', props: { tag: t.string() }, partition: p => key(p.tag), row: key('list') });
export const tags = lists(db, Tag);
export const tagPlan = () => tags.explain({ tag: 'a' });
export const byTeam = listOf(Person, 'byTeam', { where: 'same-partition', row: p => key('team', p.last) });
export const byMail = listOf(Person, 'byMail', { where: 'remote', partition: p => key('mails', p.email), row: key('list') });
export const mailFlow = listFlow('mails', [byMail]);
export const inLists = listed(db, Person, [byTeam]);
export const members = () => inLists.find(byTeam, { team: 'a', last: 'x' });
export const contention = () => inLists.contention();
export const listFindings = () => auditLists(db, byTeam);
export const texts = larges(db, Person, { container: 'texts' });
export const text = () => texts.get({ team: 'a', id: 1 });
export const secrets = encryption(Person, { ring: null as never });
export const clear = () => secrets.repo(db).get({ team: 'a', id: 1 });
export const resealed = () => reseal(db, secrets);
export const hours = seriesOf(db, Person, 'hours');
export const slots = () => hours.slots({ team: 'a', id: 1 });
export const counter = () => hours.counter({ team: 'a', id: 1 }, 1);
export const beats = () => seriesOf(db, Person, 'beats').last({ team: 'a', id: 1 }, null as never);
export const sessions = expiring(db, Customer, null as never);
export const Broad = wide('Broad', { version: 1, table: 'Broad', props: { id: t.int32(), a: t.string() }, partition: key('b'), row: p => key(p.id) });
export const broad = wideRepo(db, Broad);
export const broadRow = () => broad.get({ id: 1 });
export const broadPlan = () => broad.explain({ id: 1 });
`;

/** Another package that takes the declarations. */
const READER = `
import { customerOf, projection, results, row } from './lib.js';
export const title = async (): Promise<string | undefined> => (await row())?.value.note;
export const first = async (): Promise<string> => (await results())[0].value.name;
export const note = async (): Promise<string | undefined> => (await projection())[0]?.value.note;
export const link: string = customerOf.to.name;
// @ts-expect-error it was not selected
export const state = async () => (await projection())[0]?.value.state;
`;

const HEAD = "version: 1, table: 'Notes'";
const PROPS =
  'props: { customer: t.string(), at: t.instant(), photo: t.bytes(), text: t.string().optional() }';
const define = (...members: readonly string[]): string => `entity('Note', { ${members.join(', ')} })`;

/** Where a key is defined or given, `|` is the caret; and the names that an editor should offer there. */
const CARETS = [
  [define(HEAD, PROPS, 'partition: p => key(p.|)', "row: key('note')"), ['at', 'customer']],
  [define('partition: p => key(p.|)', "row: key('note')", HEAD, PROPS), ['at', 'customer']],
  [
    define(
      HEAD,
      PROPS,
      'partition: p => key(p.customer)',
      "row: p => key('note', p.at.as(codec.timeDesc), p.|)",
    ),
    ['at', 'customer'],
  ],
  ['orders.get({ | })', ['at', 'customer']],
  ['orders.partition({ | })', ['customer']],
  ["orders.partition({ customer: 'a' }).row({ | })", ['at']],
  ["orders.partition({ customer: 'a' }).rows({ | })", ['at']],
  ["orders.partition({ customer: 'a' }).rows({}, { | })", ['at']],
] as const;

/** `|` is in the line. */
const caretIn = (line: string): string => `import { codec, entity, key, t } from 'shelfmark-patterns';
import { orders } from './lib.js';
void ${line};
`;

const aliasOf = (version: string): string => `typescript-${version}`;

describe('declarations of programs', () => {
  let folder = '';
  const compilerOf = (version: string): string =>
    version === 'own'
      ? join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
      : join(folder, 'compilers', 'node_modules', aliasOf(version), 'bin', 'tsc');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shelfmark-declarations-'));
    const { stdout } = await run(process.execPath, [join(ROOT, 'dist', 'tools', 'pack-patterns.js'), folder]);
    const install = async (name: string, packages: readonly string[]): Promise<void> => {
      const cwd = join(folder, name);
      await mkdir(cwd);
      await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
      const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
      await run('npm', ['install', ...options, ...packages], { cwd });
    };
    await install('app', [stdout.trim()]);
    const aliases = VERSIONS.filter(version => version !== 'own').map(
      version => `${aliasOf(version)}@npm:typescript@${version}`,
    );
    await install('compilers', aliases).catch(() => undefined);
    await writeFile(join(folder, 'app', 'lib.ts'), PROGRAM);
  });
  after(() => rm(folder, { recursive: true }));

  for (const version of VERSIONS)
    for (const resolution of RESOLUTIONS)
      test(`TypeScript ${version}, ${resolution.moduleResolution}`, async context => {
        const compiler = compilerOf(version);
        if (!existsSync(compiler)) return context.skip(`The registry did not give TypeScript ${version}.`);
        const app = join(folder, 'app');
        const compile = async (files: readonly string[], own: object): Promise<void> => {
          const options = {
            strict: true,
            exactOptionalPropertyTypes: true,
            noUncheckedIndexedAccess: true,
            declaration: true,
            target: 'es2022',
            lib: ['es2022'],
            types: ['node'],
            typeRoots: [join(ROOT, 'node_modules', '@types')],
            ...resolution,
            ...own,
          };
          assert.equal(await compileByCommand(compiler, { folder: app, files, options }), '');
        };
        await compile(['lib.ts'], { skipLibCheck: true, outDir: join(app, 'out') });
        // The declarations alone, as another package would have them. They and the library's, which are the same for all resolutions, are checked themselves.
        await writeFile(join(app, 'out', 'reader.ts'), READER);
        await compile([join('out', 'reader.ts')], {
          skipLibCheck: resolution.module !== 'nodenext',
          noEmit: true,
        });
        await rm(join(app, 'out'), { recursive: true });
      });

  // TypeScript 7 has no language service as a function.
  for (const version of VERSIONS.filter(each => each !== 'own'))
    test(`an editor with TypeScript ${version} completes the parts of a key`, context => {
      const compiler = compilerOf(version);
      if (!existsSync(compiler)) return context.skip(`The registry did not give TypeScript ${version}.`);
      const found = completionsOf(
        dirname(dirname(compiler)),
        join(folder, 'app', 'caret.ts'),
        CARETS.map(([line]) => caretIn(line)),
      );
      assert.deepEqual(
        found,
        CARETS.map(([, names]) => names),
      );
    });
});
