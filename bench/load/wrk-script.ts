// Generates the Lua script with which wrk sends a job's requests and checks the answers: every status, a sample of
// bodies. wrk does not pass the request to the check, so a row is checked by the key in the answer itself.
import { wantedStatus } from './checks.js';
import { expectedProperties } from './dataset.js';
import type { Check, Job, RequestKind } from './job.js';
import { GROUP_ROWS, MEMBERS, PARTITION_ROWS, type Part, RANKS, type Slot, STRIDE } from './template.js';

/** Precedes the line of JSON that the script prints. */
export const RESULT_MARK = 'bench-result ';

/** The twin of `slotValue` in Lua, of the locals `sequence` and `row`. */
function slotExpression({ kind, offset }: Slot): string {
  const member = `sequence * ${MEMBERS} + ${offset}`;
  switch (kind) {
    case 'row':
      return 'row';
    case 'partition':
      return `floor(row / ${PARTITION_ROWS})`;
    case 'rank':
      return `${RANKS} + row % ${RANKS}`;
    case 'group':
      return `row - row % ${GROUP_ROWS}`;
    case 'groupEnd':
      return `row - row % ${GROUP_ROWS} + ${GROUP_ROWS}`;
    case 'unique':
      return 'sequence';
    case 'member':
      return member;
    case 'memberPartition':
      return `floor((${member}) / ${PARTITION_ROWS})`;
    case 'memberRank':
      return `${RANKS} + (${member}) % ${RANKS}`;
    case 'anyPartition':
      return `sequence % partitions`;
  }
}

/** A Lua literal: every byte with a special meaning is written as a number. */
const quote = (text: string): string => {
  const escaped = Buffer.from(text)
    .toString('latin1')
    .replace(/[^ !#-[\]-~]/g, byte => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);
  return `"${escaped}"`;
};

const partExpression = (part: Part): string =>
  typeof part === 'string' ? quote(part) : `format("%0${part.digits}d", ${slotExpression(part)})`;

function requestFunction(parts: readonly Part[]): string {
  return `function request()
  local sequence = upcoming
  upcoming = upcoming + 1
  local row = (sequence * ${STRIDE}) % rows
  return concat({ ${parts.map(partExpression).join(', ')} })
end`;
}

/** The JSON text that every row shares; properties that contain the number are built in Lua. */
function constantTexts(): string {
  return Object.entries(expectedProperties(0))
    .filter(([name]) => !['PartitionKey', 'RowKey', 'Name', 'Rank'].includes(name))
    .map(([name, value]) => quote(`"${name}":${JSON.stringify(value)}`))
    .join(', ');
}

const ROW_CHECK = `local constants = { ${constantTexts()} }
local function has(text, part) return find(text, part, 1, true) ~= nil end
local function checkRow(text, key)
  local row = tonumber(key)
  if row == nil or row >= rows then return "a row that is not in the table: " .. key end
  if not has(text, format('"PartitionKey":"p%06d"', floor(row / ${PARTITION_ROWS})))
    or not has(text, format('"Name":"customer %010d"', row))
    or not has(text, format('"Rank":%05d', ${RANKS} + row % ${RANKS})) then
    return "row " .. key .. " is another's: " .. sub(text, 1, 400)
  end
  for _, constant in ipairs(constants) do
    if not has(text, constant) then return "row " .. key .. " lacks " .. sub(constant, 1, 60) end
  end
end`;

/** The body of a function of `body` that returns what is wrong with it. */
function bodyCheck(check: Check): string {
  switch (check.kind) {
    case 'empty':
      return 'if #body > 0 then return "a body where none is wanted" end';
    case 'entity':
      return `local key = match(body, '"RowKey":"(%d+)"')
  if key == nil then return "no row: " .. sub(body, 1, 400) end
  return checkRow(body, key)`;
    case 'range':
      return `local count, previous = 0, nil
  for key in gmatch(body, '"RowKey":"(%d+)"') do
    local row = tonumber(key)
    if count == 0 and row % ${GROUP_ROWS} ~= 0 then return "a range that begins with row " .. key end
    if count > 0 and row ~= previous + 1 then return "row " .. key .. " after " .. previous end
    count, previous = count + 1, row
  end
  if count ~= ${GROUP_ROWS} then return count .. " rows: " .. sub(body, 1, 400) end
  local last = find(body, '"RowKey":"' .. format("%010d", previous), 1, true)
  return checkRow(sub(body, last - 40), tostring(previous))`;
    case 'batch':
      return `local done = 0
  for _ in gmatch(body, "HTTP/1%.1 204 ") do done = done + 1 end
  if done ~= ${MEMBERS} then return done .. " members done: " .. sub(body, 1, 400) end`;
    case 'bytes':
      return `if body ~= ${quote(check.body)} then return "other bytes" end`;
    case 'filter':
    case 'deleted':
    case 'deletedBatch':
      throw new Error(`wrk cannot check answers of the kind '${check.kind}'.`);
  }
}

const REPORT = `local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local complaint, used = "", 0
  for _, thread in ipairs(threads) do
    used = used + thread:get("upcoming") - first
    complaint = complaint .. thread:get("complaint")
  end
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  if broken > 0 then
    complaint = complaint .. format("errors of connections: connect %d, read %d, write %d, timeout %d",
      errors.connect, errors.read, errors.write, errors.timeout)
  end
  complaint = string.gsub(complaint, '[%c"\\\\]', " ")
  local function milliseconds(percent) return latency:percentile(percent) / 1000 end
  print(format('${RESULT_MARK}{"completed":%d,"used":%d,"milliseconds":%.3f,"complaint":"%s",' ..
    '"latency":{"p50":%.3f,"p99":%.3f,"p999":%.3f,"max":%.3f}}',
    summary.requests, used, summary.duration / 1000, complaint,
    milliseconds(50), milliseconds(99), milliseconds(99.9), latency.max / 1000))
end`;

export function wrkScript(job: Job, { parts, check, checkEvery }: RequestKind): string {
  return `local floor, format, concat = math.floor, string.format, table.concat
local find, match, gmatch, sub = string.find, string.match, string.gmatch, string.sub
local rows, partitions, first = ${job.rows}, ${Math.max(1, Math.floor(job.rows / PARTITION_ROWS))}, ${job.first}
-- wrk makes one request before it begins, to learn its form, and never sends it.
upcoming, complaint = first - 1, ""
local answers = 0
${requestFunction(parts)}
${ROW_CHECK}
local function bodyComplaint(body)
  ${bodyCheck(check)}
end
function response(status, headers, body)
  answers = answers + 1
  local wrong
  if status ~= ${wantedStatus(check)} then
    wrong = "status " .. status .. ": " .. sub(body, 1, 400)
  elseif answers % ${checkEvery} == ${checkEvery === 1 ? 0 : 1} then
    wrong = bodyComplaint(body)
  end
  if wrong ~= nil and complaint == "" then complaint = wrong end
end
${REPORT}
`;
}
