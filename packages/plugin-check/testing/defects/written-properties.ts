import { isJsonObject, type JsonObject } from '../../../../contract/json-schema/json.ts'
import { breaks } from './defect.ts'
import { editing, writing, failing, firstReference, tenantsOf } from './plant.ts'
import { Refusal } from '../refusal.ts'
import { data, type Result } from '../reference-parts.ts'

// What is wrong with writes and failures.

export const WRITE_DEFECTS = {
  'bare-write': breaks(
    'writes.wrapped',
    'writes a value without Data',
    writing((_, { tenantId }) => ({ tenantId: (tenantId as JsonObject)['value'] ?? null })),
  ),
  'wrapped-twice': breaks(
    'writes.wrapped-once',
    'wraps a value twice',
    writing((_, { tenantId }) => ({ tenantId: data(tenantId) })),
  ),
  'wraps-too-little': breaks(
    'values.wrapper-shaped',
    'takes a business value that looks like a wrapper for one that is wrapped',
    writing(({ resources }) => {
      const seats = Object.values(resources)[0]?.properties['seats']?.value ?? null
      return { region: isJsonObject(seats) && seats['@type'] === 'Data' ? seats : data('eu') }
    }),
  ),
  'more-in-data': breaks(
    'writes.no-extra-fields',
    'adds a field to Data',
    writing(() => ({ region: { ...data('eu'), unit: 'name' } })),
  ),
  'unmarked-secret': breaks(
    'writes.sensitive-marked',
    'writes a sensitive property without its mark',
    writing((_, { accessToken }) => ({ accessToken: data((accessToken as JsonObject)['value']) })),
  ),
  'marked-plain-value': breaks(
    'writes.plain-unmarked',
    'marks a property that is not sensitive',
    writing(() => ({ region: { ...data('eu'), isSensitive: true } })),
  ),
  'marked-false': breaks(
    'writes.plain-unmarked',
    'marks a property with isSensitive: false',
    writing(() => ({ region: { ...data('eu'), isSensitive: false } })),
  ),
  'undeclared-write': breaks(
    'writes.declared',
    'writes a property that it may not write',
    writing(() => ({ color: data('red') })),
  ),
  'undeclared-in-upgrade': breaks(
    'writes.declared',
    'writes a property that it may not write in an UPGRADE',
    writing(({ operation }) => (operation.operationType === 'UPGRADE' ? { color: data('red') } : {})),
  ),
  'invalid-write': breaks(
    'writes.valid',
    'writes a value that the schema of its property does not allow',
    writing(() => ({ region: data('') })),
  ),
  'writes-input-back': breaks(
    'writes.declared',
    'writes an input back',
    writing(() => ({ displayName: data('Northwind') })),
  ),
  'foreign-resource': breaks(
    'writes.own-resources',
    'writes to a Module outside the call',
    editing(
      ({ data: found }) =>
        found['outcome'] === 'APPLIED' &&
        ((found['resources'] as JsonObject)['production/other/MODULE/other'] = { region: data('eu') }),
    ),
  ),
  'writes-all-modules': breaks(
    'writes.own-resources',
    'writes to every Module of the installation, also to those that a call does not name',
    (parts, world) => {
      const { compose } = parts
      parts.compose = (request, result) => {
        const all = tenantsOf(world, request).map(({ locator }) => [locator, { region: data('eu') }])
        const resources = { ...Object.fromEntries(all), ...result.resources } as Result['resources']
        return compose(request, result.outcome === 'APPLIED' ? { ...result, resources } : result)
      }
    },
  ),
  'upper-case-locator': breaks(
    'writes.own-resources',
    'writes under a locator in upper case',
    editing(
      ({ data: found }) =>
        (found['resources'] = Object.fromEntries(
          Object.entries(found['resources'] as JsonObject).map(([locator, written]) => [
            locator.toUpperCase(),
            written,
          ]),
        )),
    ),
    ['writes.happen', 'detach.new-token-after-reinstall', 'isolation'],
  ),
  'writes-reference': breaks(
    'writes.no-reference',
    'writes a reference back',
    writing((request) => ({ [firstReference(request) ?? 'mail']: data('mail') })),
  ),
  'writes-protected': breaks(
    'writes.no-protected-property',
    'writes the protected property',
    writing(() => ({ instanceRefProperty: data('7') })),
  ),
  'writes-mask': breaks(
    'writes.no-mask',
    'writes a mask',
    writing(() => ({ region: data('••••••••') })),
  ),
  'writes-no-token': breaks(
    'writes.happen',
    'issues no token',
    (parts) => {
      const { writesOf } = parts
      parts.writesOf = (...args) => {
        const { accessToken: _accessToken, ...written } = writesOf(...args)
        return written
      }
    },
    ['detach.new-token-after-reinstall', 'isolation'],
  ),
  'failure-without-retryable': breaks(
    'failure.retryable',
    'omits retryable in failures',
    failing(({ data: failure }) => failure['retryable'] === false && delete failure['retryable']),
  ),
  'retryable-as-text': breaks(
    'failure.retryable',
    'writes retryable as a text',
    failing(({ data: failure }) => failure['retryable'] === false && (failure['retryable'] = 'false')),
  ),
  'long-business-message': breaks(
    'failure.message',
    'explains invalid values with more than 512 characters',
    failing(
      ({ errorCode, data: failure }) =>
        errorCode === 'NAME_INVALID' && (failure['message'] = 'A name is a text. '.repeat(40)),
    ),
  ),
  'always-retryable': breaks(
    'failure.invalid-is-final',
    'calls every failure of its own checks one to be retried',
    failing(({ errorCode, data: failure }) => errorCode === 'NAME_INVALID' && (failure['retryable'] = true)),
  ),
  'lower-case-code': breaks(
    'failure.error-code',
    'uses lower-case error codes',
    failing((envelope) => (envelope.errorCode = envelope.errorCode.toLowerCase())),
  ),
  'long-code': breaks(
    'failure.error-code',
    'uses an error code of 200 characters',
    failing((envelope) => (envelope.errorCode = `${envelope.errorCode}_${'X'.repeat(180)}`)),
  ),
  'empty-message': breaks(
    'failure.message',
    'sends failures without a message',
    failing(({ data: failure }) => (failure['message'] = '')),
  ),
  'long-message': breaks(
    'failure.message',
    'sends messages of 600 characters',
    failing(({ data: failure }) => (failure['message'] = 'x'.repeat(600))),
  ),
  'quotes-long-values': breaks('failure.message', 'quotes a name that is too long', (parts, world) => {
    failing(({ data: failure }, { message }) => (failure['message'] = message))(parts, world)
    const { apply } = parts
    parts.apply = (request) => {
      for (const { properties } of Object.values(request.resources)) {
        const name = properties['displayName']?.value
        if (typeof name === 'string' && name.length > 4_000) throw new Refusal('NAME_INVALID', name)
      }
      return apply(request)
    }
  }),
  'spaces-in-error-path': breaks(
    'failure.error-path',
    'writes a sentence into errorPath',
    failing(({ data: failure }) => (failure['errorPath'] = ['the tenant service'])),
  ),
  'empty-error-path': breaks(
    'failure.error-path',
    'sends an empty errorPath',
    failing(({ data: failure }) => (failure['errorPath'] = [])),
  ),
  'failure-with-500': breaks(
    'failure.status-200',
    'sends failures with status 500',
    failing(() => undefined, 500),
  ),
  'failure-with-422': breaks(
    'failure.status-200',
    'sends failures with status 422',
    failing(() => undefined, 422),
    [
      'bytes',
      'isolation.same-operation-id',
      'failure',
      'late',
      'detach',
      'concurrent',
      'repeat',
      'request',
      'version',
      'service.event-again',
    ],
  ),
}
