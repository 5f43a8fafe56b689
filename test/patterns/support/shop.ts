// Entities of the tests of queries: several in one table, keys of several parts, reversed time, buckets.
import { codec, type Db, entity, Instant, key, t } from '#patterns';

export const Order = entity('Order', {
  version: 1,
  table: 'Shop',
  props: {
    customer: t.string(),
    year: t.int32(),
    number: t.int32(),
    total: t.double(),
    isPaid: t.bool(),
    product: t.string().stored('Product'),
    note: t.string().optional(),
  },
  partition: p => key(p.customer),
  row: p => key('order', p.year.as(codec.int(4)), p.number.as(codec.int(6))),
});

export const Customer = entity('Customer', {
  version: 1,
  table: 'Shop',
  props: { customer: t.string(), name: t.string(), city: t.string() },
  partition: p => key(p.customer),
  row: key('customer'),
});

/** Without a literal in its row key: it stands among the rows of others. */
export const Note = entity('Note', {
  version: 1,
  table: 'Shop',
  props: { customer: t.string(), id: t.string(), text: t.string() },
  partition: p => key(p.customer),
  row: p => key(p.id),
});

export const Event = entity('Event', {
  version: 1,
  table: 'Events',
  props: { device: t.string(), at: t.instant(), seq: t.int32(), text: t.string() },
  partition: p => key(p.device.as(codec.hash(8)), p.device),
  row: p => key(p.at.as(codec.timeDesc), p.seq.as(codec.int(3))),
});

export const order = (customer: string, year: number, number: number) => ({
  customer,
  year,
  number,
  total: (number * 7) % 10,
  isPaid: number % 2 === 0,
  product: `p${number % 3}`,
});

/** Orders of some customers, and the customers. */
export async function fillShop(
  db: Db,
  table: string,
  customers: readonly string[],
  orders: number,
): Promise<void> {
  for (const customer of customers) {
    await db.repo(Customer, { table }).create({ customer, name: customer.toUpperCase(), city: 'Rom' });
    await Promise.all(
      Array.from({ length: orders }, (_, i) =>
        db.repo(Order, { table }).create(order(customer, 2010 + (i % 4), i)),
      ),
    );
  }
}

/** `seconds` after a moment that tests have in common. */
export const moment = (seconds: number): Instant =>
  Instant.parse('2026-11-21T00:00:00Z').plus(BigInt(seconds) * 10_000_000n);
