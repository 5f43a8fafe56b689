// Service properties of blobs: the sections that other services lack, by version, and what is refused in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties, type ServiceProperties } from '#account';
import { formatBlobServiceProperties, parseBlobServiceProperties } from './blob-service-properties-xml.js';

const parse = (sections: string) =>
  parseBlobServiceProperties(Buffer.from(`<StorageServiceProperties>${sections}</StorageServiceProperties>`));
const format = (properties: Partial<ServiceProperties>, version = '2026-04-06'): string =>
  formatBlobServiceProperties({ ...defaultServiceProperties, ...properties }, version);
const fails = (code: string, sections: string): void =>
  assert.throws(() => parse(sections), { code }, sections);

test('sections that are not there change nothing', () => {
  for (const value of Object.values(parse(''))) assert.equal(value, undefined);
  assert.equal(parse('<DefaultServiceVersion />').defaultVersion, undefined);
});

test('own sections stand beside those of all services, in any order', () => {
  const change = parse(
    '<StaticWebsite><Enabled>True</Enabled><IndexDocument>index.html</IndexDocument><ErrorDocument404Path>e.html</ErrorDocument404Path></StaticWebsite>' +
      '<Cors /><DefaultServiceVersion>2020-10-02</DefaultServiceVersion>' +
      '<DeleteRetentionPolicy><Enabled>false</Enabled></DeleteRetentionPolicy>',
  );
  assert.deepEqual(change.cors, []);
  assert.equal(change.defaultVersion, '2020-10-02');
  const website = { enabled: true, indexDocument: 'index.html', errorDocument: 'e.html' };
  for (const [name, value] of Object.entries(website))
    assert.equal(change.staticWebsite?.[name as keyof typeof website], value, name);
  assert.match(
    format({ staticWebsite: website, defaultVersion: '2020-10-02' }),
    /<StaticWebsite><Enabled>true<\/Enabled><IndexDocument>index.html<\/IndexDocument><ErrorDocument404Path>e.html<\/ErrorDocument404Path><\/StaticWebsite><DefaultServiceVersion>2020-10-02<\/DefaultServiceVersion><\/StorageServiceProperties>$/,
  );
});

test('what is refused', () => {
  fails(
    'InvalidXmlNodeValue',
    '<DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy>',
  );
  fails('InvalidXmlNodeValue', '<DefaultServiceVersion>latest</DefaultServiceVersion>');
  fails('InvalidXmlDocument', '<StaticWebsite><Enabled>maybe</Enabled></StaticWebsite>');
  fails('InvalidXmlDocument', '<StaticWebsite />');
  fails(
    'InvalidXmlDocument',
    '<StaticWebsite><Enabled>false</Enabled><IndexDocument>i</IndexDocument></StaticWebsite>',
  );
  fails('InvalidXmlDocument', '<StaticWebsite><Enabled>true</Enabled><Other>i</Other></StaticWebsite>');
  fails('InvalidXmlDocument', '<DefaultServiceVersion>2020-10-02</DefaultServiceVersion>'.repeat(2));
  fails('InvalidXmlDocument', '<Other />');
});

test('a version is told of the sections that it knows', () => {
  const sections = (version: string) =>
    [...format({}, version).matchAll(/<(DeleteRetentionPolicy|StaticWebsite|DefaultServiceVersion)>/g)].map(
      ([, name]) => name,
    );
  assert.deepEqual(sections('2017-07-28'), []);
  assert.deepEqual(sections('2017-07-29'), ['DeleteRetentionPolicy']);
  assert.deepEqual(sections('2018-03-28'), ['DeleteRetentionPolicy', 'StaticWebsite']);
  assert.match(format({}), /<StaticWebsite><Enabled>false<\/Enabled><\/StaticWebsite><\/Storage/);
});
