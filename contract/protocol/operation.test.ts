import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepts, but, installation, operation, refuses, scope } from './testing.ts'
import { OperationIdentity, OperationType, Outcome, ResourceAction, Stage } from './lifecycle.ts'
import { BundleRef, InstallationIdentity, Scope } from './scope.ts'

test('the enumerations of the protocol', () => {
  assert.deepEqual(OperationType.options, ['INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH'])
  assert.deepEqual(Stage.options, ['BEFORE_RESOURCES', 'AFTER_RESOURCES'])
  assert.deepEqual(Outcome.options, ['NOT_APPLIED', 'APPLIED', 'VERIFIED', 'FAILED', 'UNKNOWN'])
  assert.deepEqual(ResourceAction.options, ['INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH', 'NONE'])
  refuses(Stage, '', /one of BEFORE_RESOURCES, AFTER_RESOURCES/, 'before_resources', 'DURING', '')
})

test('currentVersion is null in an INSTALL', () => {
  accepts(OperationIdentity, but(operation, { operationType: 'INSTALL', currentVersion: null }))
  refuses(
    OperationIdentity,
    'currentVersion',
    /null in an INSTALL/,
    but(operation, { operationType: 'INSTALL' }),
  )
})

test('currentVersion equals targetVersion in a CONFIGURE', () => {
  accepts(OperationIdentity, operation)
  refuses(
    OperationIdentity,
    'currentVersion',
    /equal targetVersion/,
    but(operation, { currentVersion: null }),
    but(operation, { currentVersion: '1.2' }),
  )
})

test('an UPGRADE has two versions; in a DETACH currentVersion may be null', () => {
  accepts(
    OperationIdentity,
    but(operation, { operationType: 'UPGRADE', targetVersion: '2.0.0' }),
    but(operation, { operationType: 'DETACH', currentVersion: null }),
    but(operation, { operationType: 'DETACH', targetVersion: '2.0.0' }),
  )
})

test('an operation has all of its fields and no others', () => {
  for (const field of Object.keys(operation))
    refuses(OperationIdentity, field, /./, but(operation, { [field]: undefined }))
  refuses(OperationIdentity, '', /extra/, but(operation, { extra: 1 }))
})

test('an installation has all of its fields and no others', () => {
  accepts(InstallationIdentity, installation)
  for (const field of Object.keys(installation))
    refuses(InstallationIdentity, field, /./, but(installation, { [field]: undefined }))
  refuses(InstallationIdentity, '', /extra/, but(installation, { extra: 1 }))
  refuses(
    InstallationIdentity,
    'bundle',
    /version/,
    but(installation, { bundle: { ...installation.bundle, version: '1' } }),
  )
  refuses(InstallationIdentity, 'workspaceId', /number/, but(installation, { workspaceId: '7' }))
})

test('a scope and a bundle', () => {
  accepts(Scope, scope, { ...scope, workspaceId: 0 })
  refuses(Scope, 'environmentKey', /1 to 128/, { ...scope, environmentKey: 'a/b' })
  accepts(BundleRef, installation.bundle)
  refuses(BundleRef, 'bundleId', /./, { environmentKey: 'prod' })
})
