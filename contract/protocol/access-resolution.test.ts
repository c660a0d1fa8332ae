import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessResolutionRequest, AccessResolutionResponse } from './access-resolution.ts'
import { accepts, but, installation, locator, reference, refuses } from './testing.ts'

const request = { contractVersion: '4.0.0', installation, resource: locator, propertyKey: 'eventPublisher' }
const access = { url: 'http://mailer.internal/api', token: 'abc' }
const response = {
  ...request,
  reference: reference('mailer'),
  access: { mailer: access },
  expiresAt: '2026-01-31T08:00:00.000Z',
}

test('a request has all of its fields', () => {
  accepts(AccessResolutionRequest, request)
  for (const field of Object.keys(request))
    refuses(AccessResolutionRequest, field, /./, but(request, { [field]: undefined }))
  refuses(AccessResolutionRequest, 'contractVersion', /4\.0\.0/, but(request, { contractVersion: '6.0.0' }))
})

test('a request carries no plugin, target, address or token', () => {
  for (const field of ['pluginId', 'serviceId', 'targetServiceId', 'url', 'token', 'anything'])
    refuses(AccessResolutionRequest, '', new RegExp(field), { ...request, [field]: 'x' })
})

test('a response echoes the request and contains access and expiry', () => {
  accepts(AccessResolutionResponse, response)
  for (const field of Object.keys(response))
    refuses(AccessResolutionResponse, field, /./, but(response, { [field]: undefined }))
  for (const part of ['url', 'token'])
    refuses(
      AccessResolutionResponse,
      `access.mailer.${part}`,
      /./,
      but(response, { access: { mailer: but(access, { [part]: undefined }) } }),
    )
})

test('each service has exactly one entry', () => {
  const list = { '@type': 'ServiceReferenceList', valueList: [reference('mailer'), reference('mailer')] }
  accepts(AccessResolutionResponse, but(response, { reference: list }))
  accepts(AccessResolutionResponse, but(response, { reference: { ...list, valueList: [] }, access: {} }))
  refuses(
    AccessResolutionResponse,
    'access',
    /every service/,
    but(response, { access: {} }),
    but(response, { reference: { ...list, valueList: [reference('mailer'), reference('audit')] } }),
  )
})

test('expiresAt is any RFC 3339 time, or null from another platform', () => {
  for (const expiresAt of [null, '2026-01-31T08:00:00Z', '2026-01-31T09:00:00.123456+01:00'])
    accepts(AccessResolutionResponse, but(response, { expiresAt }))
  for (const expiresAt of ['', 'soon', 1, '2026-01-31', '2026-13-31T08:00:00Z'])
    refuses(AccessResolutionResponse, 'expiresAt', /RFC 3339|./, but(response, { expiresAt }))
})

test('unknown fields of a response are dropped', () => {
  assert.deepEqual(AccessResolutionResponse.parse({ ...response, more: 1 }), response)
})
