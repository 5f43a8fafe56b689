// Names that every JavaScript object already has are plain names here: of properties, keys, tables and policies, in
// every operation, and each reads back as it was written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT,
  openService,
  openTable,
  refusalOf,
  type TestService,
  tableSas,
  textOf,
} from '../../../packages/server/testing/service.js';
import { ODD_NAMES, ODD_TABLE_NAMES } from './odd-texts.js';

const ACCEPT = { accept: 'application/json;odata=nometadata' };
const ENTITY = "People(PartitionKey='p',RowKey='r')";

/** `"name":"name 1"` for each name. */
const members = (suffix: string, names: readonly string[] = ODD_NAMES): string =>
  names.map(name => `"${name}":"${name} ${suffix}"`).join(',');

/** The members of an entity or a page in the order of their text, without the time. */
async function read({ send }: TestService, path: string): Promise<string> {
  const response = await send('GET', path, { headers: ACCEPT });
  assert.equal(response.status, 200, textOf(response));
  return textOf(response).replaceAll(/,"Timestamp":"[^"]*"/g, '');
}

const keys = (partition: string, row: string): string => `"PartitionKey":"${partition}","RowKey":"${row}"`;
const sorted = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => (a < b ? -1 : 1));

test('properties with odd names: insert, merge, replace, point query', async () => {
  const service = await openTable();
  const write = (method: string, path: string, body: string) =>
    service.send(method, path, { body, headers: ACCEPT });
  assert.equal((await write('POST', 'People', `{${keys('p', 'r')},${members('1')}}`)).status, 201);
  assert.equal(await read(service, ENTITY), `{${keys('p', 'r')},${members('1')}}`);
  for (const name of ODD_NAMES) {
    assert.equal((await write('MERGE', ENTITY, `{"${name}":7}`)).status, 204);
    const merged = sorted(ODD_NAMES).map(each => (each === name ? `"${each}":7` : `"${each}":"${each} 1"`));
    assert.equal(await read(service, ENTITY), `{${keys('p', 'r')},${merged.join(',')}}`);
    assert.equal((await write('PUT', ENTITY, `{"${name}":null}`)).status, 204);
    assert.equal(await read(service, ENTITY), `{${keys('p', 'r')}}`);
    assert.equal((await write('PUT', ENTITY, `{${members('1')}}`)).status, 204);
  }
  const twice = await write('PUT', ENTITY, '{"__proto__":1,"__proto__":2}');
  assert.equal(refusalOf(twice), '400 DuplicatePropertiesSpecified');
});

test('types of properties with odd names', async () => {
  const service = await openTable();
  const typed = ODD_NAMES.map((name, i) => `"${name}@odata.type":"Edm.Int64","${name}":"${i}"`).join(',');
  assert.equal((await service.send('PUT', ENTITY, { body: `{${typed}}` })).status, 204);
  const text = textOf(
    await service.send('GET', ENTITY, { headers: { accept: 'application/json;odata=fullmetadata' } }),
  );
  for (const [i, name] of ODD_NAMES.entries())
    assert.ok(text.includes(`"${name}@odata.type":"Edm.Int64","${name}":"${i}"`), text);
});

test('filters and projections by odd names', async () => {
  const service = await openTable();
  for (const [i, name] of ODD_NAMES.entries()) {
    const body = `{${keys('p', String(i))},"${name}":${i}}`;
    assert.equal((await service.send('POST', 'People', { body })).status, 201);
  }
  for (const [i, name] of ODD_NAMES.entries()) {
    const found = `{"value":[{${keys('p', String(i))},"${name}":${i}}]}`;
    for (const filter of [`${name} eq ${i}`, `${name} ge 0 and ${name} le 99`])
      assert.equal(await read(service, `People()?$filter=${encodeURIComponent(filter)}`), found, filter);
    const projected = ODD_NAMES.map((_, j) => `{"${name}":${i === j ? i : 'null'}}`).join(',');
    assert.equal(await read(service, `People()?$select=${name}`), `{"value":[${projected}]}`);
  }
  const others = await read(
    service,
    "People()?$filter=toString%20eq%20'x'%20or%20__lookupGetter__%20eq%20true",
  );
  assert.equal(others, '{"value":[]}');
});

test('keys with odd names', async () => {
  const service = await openTable();
  for (const partition of ODD_NAMES) {
    for (const row of ODD_NAMES) {
      const body = `{${keys(partition, row)},"a":1}`;
      assert.equal((await service.send('POST', 'People', { body })).status, 201);
      const path = `People(PartitionKey='${partition}',RowKey='${row}')`;
      assert.equal(await read(service, path), `{${keys(partition, row)},"a":1}`);
      const filter = encodeURIComponent(`PartitionKey eq '${partition}' and RowKey eq '${row}'`);
      assert.equal(
        await read(service, `People()?$filter=${filter}`),
        `{"value":[{${keys(partition, row)},"a":1}]}`,
      );
    }
  }
  const names = sorted(ODD_NAMES);
  const all = names.flatMap(partition => names.map(row => `{${keys(partition, row)},"a":1}`));
  assert.equal(await read(service, 'People()'), `{"value":[${all.join(',')}]}`);
});

test('a batch of odd names', async () => {
  const service = await openTable();
  const parts = ODD_NAMES.map(
    name =>
      `--c\r\nContent-Type: application/http\r\n\r\nPUT /People(PartitionKey='__proto__',RowKey='${name}') HTTP/1.1\r\n__proto__: x\r\nconstructor: y\r\n\r\n{${members(name)}}\r\n`,
  );
  const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`;
  const headers = { 'content-type': 'multipart/mixed; boundary=b' };
  const answer = textOf(await service.send('POST', '$batch', { headers, body }));
  assert.equal(answer.match(/HTTP\/1\.1 204 /g)?.length, ODD_NAMES.length, answer);
  for (const name of ODD_NAMES) {
    const expected = sorted(ODD_NAMES)
      .map(each => `"${each}":"${each} ${name}"`)
      .join(',');
    const path = `People(PartitionKey='__proto__',RowKey='${name}')`;
    assert.equal(await read(service, path), `{${keys('__proto__', name)},${expected}}`);
  }
});

test('tables with odd names', async () => {
  const service = openService();
  const listed = (names: readonly string[]): string =>
    `{"value":[${sorted(names.map(name => name.toLowerCase()))
      .map(lower => `{"TableName":"${names.find(name => name.toLowerCase() === lower)}"}`)
      .join(',')}]}`;
  for (const name of ODD_TABLE_NAMES) {
    assert.equal(refusalOf(await service.send('GET', `${name}()`)), '404 TableNotFound');
    assert.equal((await service.send('POST', 'Tables', { body: `{"TableName":"${name}"}` })).status, 201);
    assert.equal((await service.send('POST', name, { body: `{${keys('p', 'r')},"a":1}` })).status, 201);
  }
  assert.equal(await read(service, 'Tables'), listed(ODD_TABLE_NAMES));
  for (const [i, name] of ODD_TABLE_NAMES.entries()) {
    assert.equal(await read(service, `${name}()`), `{"value":[{${keys('p', 'r')},"a":1}]}`);
    assert.equal((await service.send('DELETE', `Tables('${name}')`)).status, 204);
    assert.equal(await read(service, 'Tables'), listed(ODD_TABLE_NAMES.slice(i + 1)));
  }
  for (const name of ['__proto__', '__defineGetter__']) {
    const body = `{"TableName":"${name}"}`;
    assert.equal(refusalOf(await service.send('POST', 'Tables', { body })), '400 InvalidResourceName');
    assert.equal(refusalOf(await service.send('GET', `${name}()`)), '400 InvalidResourceName');
  }
  const nameless = await service.send('POST', 'Tables', { body: '{"__proto__":{"TableName":"Made"}}' });
  assert.equal(refusalOf(nameless), '400 PropertiesNeedValue');
});

test('policies with odd ids, accounts and parameters of odd names', async () => {
  const service = await openTable();
  const withPolicy = (id: string) =>
    service.raw('GET', `/${ACCOUNT}/People()?${tableSas('People', { se: '', si: id })}`, { anonymous: true });
  for (const id of ODD_NAMES) assert.equal(refusalOf(await withPolicy(id)), '403 AuthenticationFailed');
  for (const id of ODD_NAMES) {
    const policy = '<AccessPolicy><Expiry>2030-01-01</Expiry><Permission>r</Permission></AccessPolicy>';
    const body = `<SignedIdentifiers><SignedIdentifier><Id>${id}</Id>${policy}</SignedIdentifier></SignedIdentifiers>`;
    assert.equal((await service.send('PUT', 'People?comp=acl', { body })).status, 204);
    for (const other of ODD_NAMES)
      assert.equal(refusalOf(await withPolicy(other)), other === id ? '0' : '403 AuthenticationFailed');
  }
  for (const account of ODD_NAMES)
    assert.equal((await service.raw('GET', `/${account}/People()`)).status, 403);
  const odd = await service.send('GET', 'People()?__proto__=$top&constructor=1', {
    headers: { ...ACCEPT, constructor: 'x' },
  });
  assert.equal(odd.status, 200);
});
