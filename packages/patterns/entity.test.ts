// The definition of entities: what the compiler infers and refuses, and what is refused when a program starts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codec, entity, type KeyOf, key, type Of, part, type RowLead, t } from './index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

const Review = entity('Review', {
  version: 1,
  table: 'Staff',
  props: {
    department: t.string(),
    id: t.int32(),
    year: t.int32(),
    score: t.double(),
    note: t.string().optional(),
  },
  partition: key(part('department')),
  row: key('rev', part('id', codec.int(6)), part('year', codec.int(4))),
});

describe('types', () => {
  test('are inferred', () => {
    same<
      Of<typeof Review>,
      {
        readonly department: string;
        readonly id: number;
        readonly year: number;
        readonly score: number;
        readonly note?: string | undefined;
      }
    >(true);
    same<KeyOf<typeof Review>, { readonly department: string; readonly id: number; readonly year: number }>(
      true,
    );
    const lead: RowLead<typeof Review> = { id: 1 };
    // @ts-expect-error year is not a leading part
    const gap: RowLead<typeof Review> = { year: 1 };
    assert.deepEqual([lead, gap].length, 2);
  });
});

describe('ranges', () => {
  test('of leading parts', () => {
    assert.deepEqual(Review.plan.row.range({ id: 123 }), { ge: 'rev!000123!', lt: 'rev!000123"' });
    assert.deepEqual(Review.plan.row.range({}), { ge: 'rev!', lt: 'rev"' });
    assert.deepEqual(Review.plan.row.range({ id: 1, year: 2012 }), { eq: 'rev!000001!2012' });
  });
});
