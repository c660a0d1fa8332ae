import { omitUndefined, oneOf, someOf, text, whole, type Raw } from './search-params.ts'
import { CLAIM_STATES, INSTALLATION_SORTS, INSTALLATION_STATES, SAFEGUARDS, UPGRADES } from '../vocabulary.ts'

export const installationsSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    bundleEnvironmentKey: text(raw, 'bundleEnvironmentKey'),
    bundleId: text(raw, 'bundleId'),
    version: text(raw, 'version'),
    upgrade: someOf(raw, 'upgrade', UPGRADES),
    state: someOf(raw, 'state', INSTALLATION_STATES),
    claim: someOf(raw, 'claim', ['none', 'any', ...CLAIM_STATES]),
    safeguard: someOf(raw, 'safeguard', SAFEGUARDS),
    q: text(raw, 'q'),
    sort: oneOf(raw, 'sort', INSTALLATION_SORTS),
    cursor: text(raw, 'cursor'),
  })
export type InstallationsSearch = ReturnType<typeof installationsSearch>

export const INSTALLATION_TABS = ['resources', 'plugins', 'references', 'operations'] as const

/**
 * `action` is the upgrade that somebody prepares, `version` the one that they chose for it, `change` the change request that
 * they edit.
 */
export const installationSearch = (raw: Raw) =>
  omitUndefined({
    tab: oneOf(raw, 'tab', INSTALLATION_TABS),
    action: oneOf(raw, 'action', ['upgrade']),
    version: text(raw, 'version'),
    change: text(raw, 'change'),
  })
export type InstallationSearch = ReturnType<typeof installationSearch>

/**
 * What an install begins with: a scope, a version of a bundle, a detached installation whose configuration it takes. `change` is
 * the change request that is edited.
 */
export const installSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    bundleEnvironmentKey: text(raw, 'bundleEnvironmentKey'),
    bundleId: text(raw, 'bundleId'),
    version: text(raw, 'version'),
    copyFrom: text(raw, 'copyFrom'),
    change: text(raw, 'change'),
  })
export type InstallSearch = ReturnType<typeof installSearch>

export const installationsCall = (search: InstallationsSearch) => ({ query: { ...search, limit: 50 } })
export const referencesCall = (bundleInstallId: string) => ({ params: { bundleInstallId } })
export const installationReferrersCall = (bundleInstallId: string) => ({
  params: { bundleInstallId },
  query: { limit: 200 },
})
export const installationCall = (bundleInstallId: string) => ({ params: { bundleInstallId } })
