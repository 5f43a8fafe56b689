// High volume delete: logins are in a table per day and are kept a week, so that each night the oldest day goes with
// its table, by one request, however many logins it had.
import assert from 'node:assert/strict';
import { codec, entity, Instant, key, open, t } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
import { rolling } from '#patterns/rolling';
import type { Example } from './example.js';

const Login = entity('Login', {
  version: 1,
  table: 'Logins',
  props: { user: t.string(), at: t.instant(), address: t.string() },
  partition: p => key(p.user),
  row: p => key(p.at.as(codec.timeDesc)),
});

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);
const DAYS = 14;
const KEPT_DAYS = 7;
const USERS = ['ann', 'ben', 'cem', 'dee'];

/** Logins of a day: for each user one every other hour. */
const loginsOf = (day: number) =>
  USERS.flatMap((user, at) =>
    Array.from({ length: 12 }, (_, hour) => ({
      user,
      at: Instant.fromDate(new Date(FIRST + day * DAY + (2 * hour * 60 + at) * 60_000)),
      address: `10.0.${at}.${hour}`,
    })),
  );

export const weekOfLogins: Example = {
  title: 'High volume delete: a week of logins, a table a day',
  async run(client, say) {
    let today = FIRST;
    const db = open({ tables: client }, { now: () => today });
    const late: string[] = [];
    const logins = rolling(db, Login, {
      time: 'at',
      every: 'day',
      keep: KEPT_DAYS,
      outside: 'drop',
      onOutside: ({ at }) => late.push(at.toString().slice(0, 10)),
    });
    let dropped = 0;
    for (let day = 0; day < DAYS; day++) {
      today = FIRST + day * DAY;
      const changes = loginsOf(day).map(login =>
        change.create(Login, login, { table: logins.tableOf(login.at) }),
      );
      for await (const report of writeAll(logins.db, changes)) assert.equal(report.kind, 'done');
      // What a program does each night: creates tomorrow's table, and drops the oldest.
      await logins.prepare();
      dropped += (await logins.expire()).length;
    }
    const { retained } = await logins.explain();
    say(`${dropped} tables were dropped, and ${retained.length} stay: ${retained[0]} to ${retained.at(-1)}.`);
    // Today, the seven days before, and tomorrow's.
    assert.deepEqual([dropped, retained.length], [DAYS - KEPT_DAYS - 1, KEPT_DAYS + 2]);

    const [yesterday, now] = [new Date(today - DAY), new Date(today + DAY)];
    const latest = await logins
      .span(yesterday, now, repo => repo.partition({ user: 'ann' }), { newestFirst: true })
      .take(3);
    for (const { value } of latest) say(`  ${value.at.toString().slice(0, 16)}  ann from ${value.address}`);
    const expected = [...loginsOf(DAYS - 2), ...loginsOf(DAYS - 1)].filter(({ user }) => user === 'ann');
    assert.deepEqual(
      latest.map(({ value }) => value.address),
      expected
        .reverse()
        .slice(0, 3)
        .map(({ address }) => address),
    );

    const [known, over] = [loginsOf(DAYS - 3)[0], loginsOf(1)[0]];
    assert(known && over);
    await logins.upsert({ ...known, address: '10.9.9.9' });
    assert.equal((await logins.get(known))?.value.address, '10.9.9.9');
    assert.equal(await logins.create(over), undefined);
    say(`A login of ${late[0]} came too late, and was left out.`);
    assert.deepEqual(late, ['2026-01-02']);
  },
};
