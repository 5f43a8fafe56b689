// A program that uses each entry of shapes, secrets and signatures: patterns-packaging.test.ts compiles it next to the
// packed library and runs it.

/** It prints one line of JSON. */
export const SHAPES_PROGRAM = `
import { AzureNamedKeyCredential, AzureSASCredential, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { entity, Instant, key, open, type StandardSchema, t } from 'shelfmark-patterns';
import { contentKey, encrypted, encryption, keyRing, localKey } from 'shelfmark-patterns/encryption';
import { largeBytes, larges } from 'shelfmark-patterns/large';
import { logBook } from 'shelfmark-patterns/logbook';
import { tableSas } from 'shelfmark-patterns/sas';
import { series, seriesOf } from 'shelfmark-patterns/series';
import { wide, wideRepo } from 'shelfmark-patterns/wide';

const connection = process.argv[2] ?? '';
const tables = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
const blobs = BlobServiceClient.fromConnectionString(connection);
const db = open({ tables, blobs });
await tables.createTable('Shapes');
await blobs.createContainer('shapes');
const at = { version: 1, table: 'Shapes' } as const;

const days = Object.fromEntries(Array.from({ length: 300 }, (_, day) => ['day' + day, t.int32().optional()] as const));
const Days = wide('Days', { ...at, props: { id: t.string(), ...days }, partition: key('days'), row: p => key(p.id) });
const full = Object.fromEntries(Object.keys(days).map(name => [name, 8]));
const wideRow = await wideRepo(db, Days).create({ id: 'ann', ...full });

const Photo = entity('Photo', {
  ...at,
  props: { id: t.string(), image: largeBytes() },
  partition: key('photos'),
  row: p => key(p.id),
});
const photos = larges(db, Photo, { container: 'shapes' });
const photo = await photos.create({ id: 'ann', image: new Uint8Array(100_000) });
const image = await photos.content(photo, 'image');

const Site = entity('Site', {
  ...at,
  props: { id: t.string(), hits: series(t.int32(), 24) },
  partition: key('sites'),
  row: p => key(p.id),
});
const hits = seriesOf(db, Site, 'hits');
await hits.set({ id: 'a' }, 7, 120);
await hits.set({ id: 'a' }, 8, 90);

const text: StandardSchema<unknown, string> = {
  '~standard': { version: 1, vendor: 'own', validate: value => ({ value: String(value) }) },
};
const log = logBook(db, 'doors', text, { container: 'shapes', every: 'day', durable: 'each' });
const from = await log.append('north');
await log.close();
const doors: string[] = [];
for await (const { value } of log.read(from, Instant.fromTicks(from.ticks + 1n))) doors.push(value);

const Patient = entity('Patient', {
  ...at,
  props: { id: t.string(), name: encrypted(t.string()), key: contentKey() },
  partition: key('patients'),
  row: p => key(p.id),
});
const ring = keyRing({ current: 'own', keys: { own: localKey(new Uint8Array(32)) } });
const patients = encryption(Patient, { ring }).repo(db);
await patients.create({ id: 'ann', name: 'Ann Jones' });
const sealed = await patients.rows.get({ id: 'ann' });
const ann = await patients.get({ id: 'ann' });

const setting = (name: string): string => new RegExp(name + '=([^;]+)').exec(connection)?.[1] ?? '';
const credential = new AzureNamedKeyCredential(setting('AccountName'), setting('AccountKey'));
const token = tableSas(credential, db.repo(Site).partition({}), {
  permissions: 'r',
  expiresOn: new Date(Date.now() + 3_600_000),
  protocol: 'https,http',
});
const reader = new TableServiceClient(setting('TableEndpoint'), new AzureSASCredential(token), {
  allowInsecureConnection: true,
});
const mine = open({ tables: reader });

console.log(JSON.stringify({
  wide: wideRow.pieces.length,
  large: image?.length,
  series: await hits.sum({ id: 'a' }),
  logbook: doors,
  encryption: [sealed?.value.name.kind, ann?.value.name],
  sas: [(await mine.repo(Site).partition({}).take(9)).length, (await mine.repo(Patient).partition({}).take(9)).length],
}));
`;
