// The examples by their names.
import { archive } from './archive.js';
import { compoundKeys } from './compound-keys.js';
import { employeeCounts } from './employee-counts.js';
import { employeesAndDepartments } from './employees-and-departments.js';
import { employeesByLastName } from './employees-by-last-name.js';
import { employeesOfAllDepartments } from './employees-of-all-departments.js';
import type { Example } from './example.js';
import { logTail } from './log-tail.js';
import { lookups } from './lookups.js';
import { patientRecords } from './patient-records.js';
import { resumedPages } from './resumed-pages.js';
import { secondaryIndexes } from './secondary-indexes.js';
import { shapes } from './shapes/shapes.js';
import { spreadLog } from './shapes/spread-log.js';
import { signingService } from './signing-service.js';
import { typedQueries } from './typed-queries.js';
import { weekOfLogins } from './week-of-logins.js';

export const EXAMPLES = {
  'employees-and-departments': employeesAndDepartments,
  'employees-by-last-name': employeesByLastName,
  'compound-keys': compoundKeys,
  'secondary-indexes': secondaryIndexes,
  'employees-of-all-departments': employeesOfAllDepartments,
  'log-tail': logTail,
  'week-of-logins': weekOfLogins,
  'typed-queries': typedQueries,
  lookups,
  'resumed-pages': resumedPages,
  archive,
  'employee-counts': employeeCounts,
  'patient-records': patientRecords,
  'signing-service': signingService,
  'spread-log': spreadLog,
  shapes,
} as const satisfies Readonly<Record<string, Example>>;

export const isExampleName = (name: string): name is keyof typeof EXAMPLES => Object.hasOwn(EXAMPLES, name);
