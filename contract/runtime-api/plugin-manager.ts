import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { AccessResolutionRequest, AccessResolutionResponse } from '#contract/protocol/access-resolution.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import {
  AuthorizationReadRequest,
  EventDeclarationsRequest,
  EventDeclarationsResponse,
} from '#contract/protocol/plugin-reads.ts'

/** Called by plugins, below `{platform_api_base}/module-plugin-manager/api`. */
export const pluginManagerApi = defineEndpoints({
  'POST /bundle-plugin/service-reference/resolve': {
    summary: 'Resolve a reference property of an active installation to addresses and short-lived tokens',
    access: { needs: 'plugin-credential' },
    body: AccessResolutionRequest,
    answer: AccessResolutionResponse,
    codes: [
      'CREDENTIAL_REVOKED',
      'PLUGIN_NOT_REGISTERED',
      'INSTALLATION_NOT_ACTIVE',
      'REFERENCE_NOT_AUTHORIZED',
      'REFERENCE_TARGET_UNAVAILABLE',
    ],
    writesNothing: true,
  },
  'POST /bundle-plugin/authorization/read': {
    summary: 'Read the compiled authorization of the calling plugin on an installation',
    access: { needs: 'plugin-credential' },
    body: AuthorizationReadRequest,
    answer: CompiledAuthorization,
    codes: ['CREDENTIAL_REVOKED', 'PLUGIN_NOT_REGISTERED', 'INSTALLATION_NOT_ACTIVE'],
    writesNothing: true,
  },
  'POST /bundle-plugin/event-declarations/read': {
    summary: 'Read which events the targets of a reference property accept, with their JSON Schemas',
    access: { needs: 'plugin-credential' },
    body: EventDeclarationsRequest,
    answer: EventDeclarationsResponse,
    codes: [
      'CREDENTIAL_REVOKED',
      'PLUGIN_NOT_REGISTERED',
      'INSTALLATION_NOT_ACTIVE',
      'REFERENCE_NOT_AUTHORIZED',
      'REFERENCE_TARGET_UNAVAILABLE',
    ],
    writesNothing: true,
  },
})
