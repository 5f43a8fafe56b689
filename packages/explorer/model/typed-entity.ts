// Entities as the tables' client takes them, without loss.
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import type { TableEntity } from '@azure/data-tables';
import { type Property, type Row, textOf } from '#data-tools/line';

/** Of a Double the text: as numbers 1.0 and -0 are 1 and 0 in JSON, and NaN is not one. */
function typedValue(property: Property): unknown {
  const text = textOf(property);
  switch (property.type) {
    case 'String':
      return text;
    case 'Boolean':
      return text === 'true';
    case 'Int32':
      return Number(text);
    default:
      return { type: property.type, value: text };
  }
}

/** Before each property's name while the client has it: it renames `timestamp`, `etag` and others, and loses `__proto__`. */
const MARK = '=';
/** A string and a colon are a name, and never inside of a value, where quotes are escaped. */
const MARKED_NAME = /"=((?:[^"\\]|\\.)*":)/g;

/** For clients with `exactNames`. */
export const entityOf = ({ partitionKey, rowKey, properties }: Row): TableEntity => ({
  partitionKey,
  rowKey,
  ...Object.fromEntries(properties.map(property => [`${MARK}${property.name}`, typedValue(property)])),
});

/** Takes the marks away before a body is sent. */
export const exactNames: PipelinePolicy = {
  name: 'exactNames',
  sendRequest(request, next) {
    if (typeof request.body === 'string') request.body = request.body.replace(MARKED_NAME, '"$1');
    return next(request);
  },
};
