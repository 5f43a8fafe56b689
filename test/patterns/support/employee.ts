// The entity of the pattern library's tests: every type of property, a key of two parts, an older version of itself.
import { codec, entity, key, t } from '#patterns';

export const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: {
    department: t.string(),
    id: t.int32(),
    name: t.string(),
    score: t.double(),
    views: t.int64(),
    note: t.string().optional(),
    photo: t.bytes().optional(),
  },
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
});

/** The next version of the same rows. */
export const EmployeeNow = entity('Employee', {
  version: 2,
  table: 'Staff',
  props: { ...Employee.props, level: t.int32() },
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
  upcast: { 1: old => ({ ...old, level: 1 }) },
});

export const anna = { department: 'Sales', id: 1, name: 'Anna', score: 3, views: 7n } as const;
