import { defineEndpoints } from '#contract/endpoint/define.ts'
import { AccessResolutionRequest, AccessResolutionResponse } from '#contract/protocol/access-resolution.ts'

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
})
