// The guide's intra-partition secondary index: employees by department and id, by their unique e-mail, and by last
// name. Every write keeps all three right.
import assert from 'node:assert/strict';
import { codec, entity, key, type NewOf, open, PatternError, t } from '#patterns';
import { audit } from '#patterns/audit';
import { near } from '#patterns/indexes';
import type { Example } from './example.js';

/** PartitionKey `Sales`; RowKey `empid!000223`, `email!jonesj@contoso.0com` or `last!Jones!empid!000223`. */
const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: {
    department: t.string(),
    id: t.int32(),
    firstName: t.string(),
    lastName: t.string(),
    email: t.string().optional(),
  },
  partition: p => key(p.department),
  row: p => key('empid', p.id.as(codec.int(6))),
  indexes: {
    byEmail: { kind: near, row: p => key('email', p.email.as(codec.lower)), unique: true },
    byLastName: { kind: near, row: p => key('last', p.lastName), project: 'all' },
  },
});

const STAFF: readonly NewOf<typeof Employee>[] = [
  { department: 'Sales', id: 223, firstName: 'Jun', lastName: 'Jones', email: 'JonesJ@contoso.com' },
  { department: 'Sales', id: 224, firstName: 'Ann', lastName: 'Jones', email: 'jonesa@contoso.com' },
  { department: 'Sales', id: 225, firstName: 'Ken', lastName: 'Kwok' },
];

export const secondaryIndexes: Example = {
  title: 'Secondary indexes: employees by id, by e-mail and by last name',
  async run(client, say) {
    await client.createTable(Employee.table);
    const db = open({ tables: client });
    const staff = db.repo(Employee);
    for (const employee of STAFF) await staff.create(employee);

    const inSales = { department: 'Sales' } as const;
    const byEmail = staff.index('byEmail').partition(inSales).row({ email: 'jonesj@CONTOSO.com' });
    say(`By e-mail: ${byEmail.explain().class}, ${byEmail.explain().requests.join()}`);
    const hit = await byEmail.first();
    assert(hit);
    const jun = await staff.get(hit.value);
    assert(jun);
    say(`  ${jun.value.firstName} ${jun.value.lastName}, by ${hit.rowKey}`);

    const joneses = staff.index('byLastName').partition(inSales).rows({ lastName: 'Jones' });
    say(`By last name: ${joneses.explain().class}, ${joneses.explain().filter}`);
    const found = await joneses.take(10);
    for (const { value } of found)
      say(`  ${value.firstName} ${value.lastName}, ${value.email ?? 'no e-mail'}`);
    assert.deepEqual(
      found.map(({ value }) => value.id),
      [223, 224],
    );

    const taken = await staff.merge(jun, { email: 'JonesA@contoso.com' }).catch((thrown: unknown) => thrown);
    assert(PatternError.is(taken, 'UniqueViolation'));
    say(`Jun cannot have Ann's e-mail: ${taken.message}`);

    await staff.merge(jun, { lastName: 'Smith', email: null });
    assert.equal(await byEmail.first(), undefined);
    assert.deepEqual(
      (await joneses.take(10)).map(({ value }) => value.id),
      [224],
    );
    say('Jun is called Smith now and has no e-mail: neither index has the old keys.');

    let checked = 0;
    for await (const progress of audit(db, Employee)) {
      assert.deepEqual(progress.findings, []);
      checked = progress.checked;
    }
    say(`The audit read ${checked} rows, of employees and of their indexes, and found nothing wrong.`);
    const all = await staff.partition(inSales).take(10);
    assert.equal(all.length, STAFF.length);
  },
};
