import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key, PropertyName, ResourceLocator, Uuid } from '#contract/protocol/keys.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { installationParams } from './common.ts'
import { INSTALLATION_STATES } from './vocabulary.ts'

/** How many services and installations a graph has at most. */
export const DEPENDENCY_NODES_MAX = 2_000

/**
 * How many steps away, from a service to the installations that refer to it, and from an installation to the services
 * that it owns. Negative for what it needs. 0 for what was asked about.
 */
const distance = z.int()

/** Services and installations that depend on each other. Only installations that the caller may see. */
export const DependencyGraph = z.object({
  services: z.array(
    z.object({
      serviceId: Key,
      /** Null if it is not registered. */
      title: z.string().nullable(),
      /** The Module that owns it, if its installation is part of the graph. */
      owner: z.object({ bundleInstallId: Uuid, locator: ResourceLocator }).nullable(),
      distance,
    }),
  ),
  installations: z.array(
    z.object({
      installation: InstallationIdentity,
      title: z.string(),
      state: z.enum(INSTALLATION_STATES),
      distance,
    }),
  ),
  /** Which installation refers to which service, as saved or as applied. */
  uses: z.array(
    z.object({
      bundleInstallId: Uuid,
      serviceId: Key,
      /** The first of the properties that refer to it. */
      properties: z.array(
        z.object({
          locator: ResourceLocator,
          /** Null if the resource is not installed yet. */
          resourceTitle: z.string().nullable(),
          property: PropertyName,
        }),
      ),
      propertyCount: z.int(),
    }),
  ),
  /** How many more are reached or needed that the graph leaves out, at least: what they reach in turn is not counted. */
  more: z.int(),
})
export type DependencyGraph = z.infer<typeof DependencyGraph>

export const dependencyEndpoints = defineEndpoints({
  'GET /services/{serviceId}/dependencies': {
    summary: 'What a service needs, and what is reached if it stops',
    access: { needs: 'read', where: 'anywhere' },
    params: z.strictObject({ serviceId: Key }),
    answer: DependencyGraph,
    codes: ['NOT_FOUND'],
  },
  'GET /installations/{bundleInstallId}/dependencies': {
    summary: 'What an installation needs, and what is reached if it stops',
    access: { needs: 'read', where: 'object' },
    params: installationParams,
    answer: DependencyGraph,
    codes: ['NOT_FOUND'],
  },
})
