// `shelfmark explain`: what a $filter makes the service do, without asking any service.
import { Command } from 'commander';
import { type PlanBounds, type QueryPlan, queryPlan } from '#data-tools';
import { runLocally, withUsageErrors } from './run-tool.js';

const WORDS: readonly (readonly [keyof PlanBounds, string])[] = [
  ['eq', '='],
  ['gt', '>'],
  ['ge', '>='],
  ['lt', '<'],
  ['le', '<='],
];

function textOfBounds(name: string, bounds: PlanBounds): string {
  const told = WORDS.flatMap(([operator, sign]) => {
    const bound = bounds[operator];
    return bound === undefined ? [] : [`${name} ${sign} ${JSON.stringify(bound)}`];
  });
  return told.length === 0 ? `any ${name}` : told.join(' and ');
}

function linesOf({ class: planClass, bounds, advice }: QueryPlan): readonly string[] {
  return [
    `class:  ${planClass}`,
    ...bounds.map(
      ({ PartitionKey, RowKey }) =>
        `bounds: ${textOfBounds('PartitionKey', PartitionKey)}, ${textOfBounds('RowKey', RowKey)}`,
    ),
    ...advice.map(each => `advice: ${each}`),
  ];
}

const EXAMPLES = `
Examples:
  shelfmark explain "PartitionKey eq 'Sales' and RowKey eq '222'"               a point query
  shelfmark explain "PartitionKey eq 'Sales' and LastName eq 'Smith'"           a partition scan
  shelfmark explain --json "PartitionKey eq 'Sales' and RowKey ge 'S' and RowKey lt 'T'"

Classes, cheapest first, as in Azure's table design guide: point, range, partition-scan, table-scan.`;

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('classify a filter: point query, range, partition scan or table scan')
    .argument('<filter>', 'a $filter in OData form')
    .option('--json', 'print one JSON object: class, bounds, advice');
  return withUsageErrors(command)
    .addHelpText('after', EXAMPLES)
    .action((filter: string, { json }: { json?: true }) =>
      runLocally(() => {
        const plan = queryPlan(filter);
        return `${json ? JSON.stringify(plan) : linesOf(plan).join('\n')}\n`;
      }),
    );
}
