import { breaks } from './defect.ts'
import { editing, failing, rewriting, type Envelope } from './plant.ts'

// What is wrong with the envelope, the echo and the outcome of a response.

export const ANSWER_DEFECTS = {
  'bare-data': breaks(
    'envelope.enveloped',
    'responds without the envelope',
    rewriting((text) => JSON.stringify((JSON.parse(text) as Envelope).data)),
  ),
  'status-201': breaks('envelope.status-200', 'responds with 201', (parts) => {
    parts.successStatus = 201
  }),
  'number-error-code': breaks(
    'envelope.error-code-zero',
    'writes errorCode as a number',
    editing((envelope) => (envelope['errorCode'] = 0)),
  ),
  'data-version-in-envelope': breaks(
    'envelope.version',
    'puts 6.0.0 into the envelope',
    editing((envelope) => (envelope['contractVersion'] = '6.0.0')),
  ),
  'version-in-failure': breaks(
    'envelope.version',
    'writes the version of the data into the envelope of a failure',
    failing((envelope) => Object.assign(envelope, { contractVersion: '6.0.0' })),
  ),
  'echo-workspace-of-detach': breaks(
    'echo.installation',
    'repeats the installation of a DETACH without its workspace',
    editing(
      ({ data: { installation } }, { operation }) =>
        operation.operationType === 'DETACH' && delete installation['workspaceId'],
    ),
    ['repeat'],
  ),
  'key-twice': breaks(
    'envelope.no-duplicate-keys',
    'writes a key twice',
    rewriting((text) => text.replace('"outcome":', '"outcome":"FAILED","outcome":')),
  ),
  'long-number': breaks(
    'envelope.exact-numbers',
    'writes a number that changes when it is read',
    rewriting((text) => text.replace('"outcome":', '"took":12345678901234567890,"outcome":')),
  ),
  'half-character': breaks(
    'envelope.whole-text',
    'writes half of a surrogate pair',
    rewriting((text) => text.replace('"outcome":', '"note":"\\ud83d","outcome":')),
  ),
  'large-answer': breaks(
    'envelope.size',
    'responds with more than 1 MiB',
    editing((envelope) => (envelope['padding'] = 'x'.repeat(1_100_000))),
  ),
  'echo-contract-version': breaks(
    'echo.contract-version',
    'echoes the version of the envelope',
    editing((envelope) => (envelope.data['contractVersion'] = '1.0.0')),
    ['version.schema-version'],
  ),
  'echo-plugin-id': breaks(
    'echo.plugin-id',
    'echoes its own name as pluginId',
    editing((envelope) => (envelope.data['pluginId'] = 'Reference plugin')),
  ),
  'echo-without-bundle': breaks(
    'echo.installation',
    'echoes the installation without its bundle',
    editing(({ data: { installation } }) => delete installation['bundle']),
  ),
  'echo-with-more': breaks(
    'echo.installation',
    'adds a field to the echoed installation',
    editing(({ data: { installation } }) => (installation['name'] = 'Northwind')),
  ),
  'echo-without-current-version': breaks(
    'echo.operation',
    'omits currentVersion from the echo where it is null',
    editing(
      ({ data: { operation } }) => operation['currentVersion'] === null && delete operation['currentVersion'],
    ),
  ),
  'echo-target-as-current': breaks(
    'echo.operation',
    'echoes the target version of an UPGRADE as the current one',
    editing(
      ({ data: { operation } }) =>
        operation['operationType'] === 'UPGRADE' &&
        (operation['currentVersion'] = operation['targetVersion'] ?? null),
    ),
  ),
  'echo-stage': breaks(
    'echo.stage',
    'echoes the stage in lower case',
    editing((envelope, { stage }) => (envelope.data['stage'] = stage.toLowerCase())),
  ),
  'echo-first-stage': breaks(
    'echo.stage',
    'echoes BEFORE_RESOURCES in both stages',
    editing((envelope) => (envelope.data['stage'] = 'BEFORE_RESOURCES')),
    ['repeat.stages-are-separate'],
  ),
  'echo-sequence-as-text': breaks(
    'echo.execution-sequence',
    'echoes executionSequence as a text',
    editing(
      (envelope, { executionSequence }) => (envelope.data['executionSequence'] = String(executionSequence)),
    ),
  ),
  'lower-case-outcome': breaks(
    'lifecycle.known-outcome',
    'writes outcome in lower case',
    editing((envelope) => (envelope.data['outcome'] = String(envelope.data['outcome']).toLowerCase())),
  ),
  'no-resources-with-applied': breaks(
    'lifecycle.resources-present',
    'omits resources if nothing is written',
    editing(({ data: found }) => found['outcome'] === 'VERIFIED' && delete found['resources']),
  ),
  'not-applied-with-writes': breaks(
    'lifecycle.not-applied-without-writes',
    'returns NOT_APPLIED with writes',
    editing(
      ({ data: found }, { operation }) =>
        operation.operationType === 'CONFIGURE' && (found['outcome'] = 'NOT_APPLIED'),
    ),
  ),
}
