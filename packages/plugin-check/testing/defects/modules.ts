import { breaks } from './defect.ts'
import { tenantsOf } from './plant.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import type { Change } from '../reference-parts.ts'

// What is wrong with several Modules, and with what is not set.

/** Applies a request that it has read in a wrong way. */
const applying =
  (misread: (request: LifecycleRequest) => LifecycleRequest): Change =>
  (parts) => {
    const { apply } = parts
    parts.apply = (request) => apply(misread(request))
  }

/** Removes only the Modules that a request names, if the condition holds. */
const removingNamed =
  (isMeant: (request: LifecycleRequest) => boolean): Change =>
  (parts, { state }) => {
    const { remove } = parts
    parts.remove = (request) => {
      if (!isMeant(request)) return remove(request)
      const keys = Object.keys(request.resources)
        .map((locator) => parts.tenantKey(request, locator))
        .filter((key) => Object.hasOwn(state.tenants, key))
      for (const key of keys) delete state.tenants[key]
      return keys.length
    }
  }

/** The request with only those Modules for which the condition holds. */
const withModules = (
  request: LifecycleRequest,
  isMeant: (entry: LifecycleRequest['resources'][string]) => boolean,
): LifecycleRequest => ({
  ...request,
  resources: Object.fromEntries(Object.entries(request.resources).filter(([, entry]) => isMeant(entry))),
})

export const MODULE_DEFECTS = {
  'detaches-one-module': breaks(
    'module.detached',
    'removes one tenant in a DETACH',
    (parts, { state }) => {
      parts.remove = ({ installation }) => {
        const key = Object.keys(state.tenants).find(
          (one) => state.tenants[one]?.bundleInstallId === installation.bundleInstallId,
        )
        if (key === undefined) return 0
        delete state.tenants[key]
        return 1
      }
    },
    ['detach', 'isolation'],
  ),
  'marks-one-module': breaks(
    'module.detached',
    'marks one tenant as removed in a DETACH',
    (parts, world) => {
      parts.remove = (request) => {
        const row = tenantsOf(world, request).find(({ version }) => version !== 'removed')
        if (row === undefined) return 0
        row.version = 'removed'
        return 1
      }
    },
    ['detach', 'isolation'],
  ),
  'skips-added-module': breaks(
    'module.added',
    'makes nothing for a Module that an UPGRADE adds',
    applying((request) =>
      request.operation.operationType === 'UPGRADE'
        ? withModules(request, ({ action }) => action !== 'INSTALL')
        : request,
    ),
  ),
  'keeps-dropped-module': breaks(
    'module.dropped',
    'keeps what it made for a Module that an UPGRADE drops',
    applying((request) => withModules(request, ({ action }) => action !== 'DETACH')),
  ),
  'removes-unchanged-module': breaks(
    'module.unchanged-stays',
    'takes a Module with action NONE for one that is dropped',
    applying((request) => ({
      ...request,
      resources: Object.fromEntries(
        Object.entries(request.resources).map(([locator, entry]) => [
          locator,
          entry.action === 'NONE' ? { ...entry, action: 'DETACH' } : entry,
        ]),
      ),
    })),
  ),
  'issues-for-unchanged-module': breaks(
    'module.unchanged-stays',
    'issues a new token for a Module with action NONE',
    (parts) => {
      const { tokenOf } = parts
      parts.tokenOf = (request, found) =>
        tokenOf(
          request,
          Object.values(request.resources).every(({ action }) => action === 'NONE') ? undefined : found,
        )
    },
  ),
  'merges-values': breaks(
    'module.value-removed',
    'keeps the earlier value of a property that is no longer set',
    (parts, world) => {
      const { apply } = parts
      parts.apply = (request) => {
        const names = new Map(tenantsOf(world, request).map((tenant) => [tenant.locator, tenant.displayName]))
        const result = apply(request)
        for (const tenant of tenantsOf(world, request))
          if (tenant.displayName === '') tenant.displayName = names.get(tenant.locator) ?? ''
        return result
      }
    },
    ['values'],
  ),
  'folds-locators': breaks('module.spelling', 'compares locators without upper and lower case', (parts) => {
    const { tenantKey } = parts
    parts.tenantKey = (request, locator) => tenantKey(request, locator.toLowerCase())
  }),
  'detach-removes-named': breaks(
    'module.detached-unnamed',
    'removes only what a DETACH names',
    removingNamed(() => true),
  ),
  'detach-marks-named': breaks(
    'module.detached-unnamed',
    'marks as removed only what a DETACH names',
    (parts, { state }) => {
      parts.remove = (request) => {
        const rows = Object.keys(request.resources)
          .map((locator) => state.tenants[parts.tenantKey(request, locator)])
          .filter((row) => row !== undefined && row.version !== 'removed')
        for (const row of rows) if (row !== undefined) row.version = 'removed'
        return rows.length
      }
    },
  ),
  'detach-removes-named-if-any': breaks(
    'module.detached-unnamed',
    'removes only what a DETACH names, unless it names nothing',
    removingNamed(({ resources }) => Object.keys(resources).length > 0),
  ),
}
