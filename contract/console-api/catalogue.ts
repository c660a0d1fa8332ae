/** What a code is called, what it means where the failure has no message of its own, and what to do about it. */
export interface CatalogueEntry {
  title: string
  message: string
  remedy: string
}

/** The one catalogue of codes; the console translates it by code. */
export const catalogue: Readonly<Record<string, CatalogueEntry>> = {
  AUTHENTICATION_REQUIRED: {
    title: 'You are not signed in',
    message: 'The session has ended or was never started.',
    remedy: 'Sign in. What you typed is kept.',
  },
  PERMISSION_DENIED: {
    title: 'You may not do this',
    message: 'None of your roles allows it here.',
    remedy: 'Ask somebody who has the permission, or an administrator for a role.',
  },
  NOT_FOUND: {
    title: 'There is nothing here',
    message: 'It does not exist, or you may not see it.',
    remedy: 'Check the address, or search for it.',
  },
  REQUEST_INVALID: {
    title: 'The request is not valid',
    message: 'Something in the request is not as it must be.',
    remedy: 'Mend what is named, then send it again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'This key was used for something else',
    message: 'The same idempotency key came with another request.',
    remedy: 'Reload the page and do it again.',
  },
  CONFIGURATION_SNAPSHOT_STALE: {
    title: 'Somebody saved first',
    message: 'The configuration has changed since you began. Nothing was written.',
    remedy: 'Compare their changes with yours, then save on top of the new snapshot.',
  },
  RESOURCE_OWNERSHIP_MISSING: {
    title: 'Nobody owns this resource',
    message: 'No active installation of this scope owns it.',
    remedy: 'Check the resource name, or install its bundle first.',
  },
  PROPERTY_PROTECTED: {
    title: 'This property is protected',
    message: 'Only the runtime writes it.',
    remedy: 'Leave it out.',
  },
  PROPERTY_INVALID: {
    title: 'A value is not valid',
    message: 'A value does not satisfy its definition.',
    remedy: 'Mend the fields that are marked.',
  },
  OPERATION_IN_PROGRESS: {
    title: 'An operation is running',
    message: 'An operation holds this installation. Nothing was written.',
    remedy: 'Wait until it ends; the form opens again by itself.',
  },
  OPERATION_CLAIM_HELD: {
    title: 'A failed operation holds the claim',
    message: 'A failed operation still claims this installation. Nothing was written.',
    remedy: 'Retry that operation, or have it taken over with a DETACH.',
  },
  OPERATION_NOT_RETRYABLE: {
    title: 'It cannot be retried',
    message: 'The operation is not FAILED, or has been retried since you looked.',
    remedy: 'Look at its state now.',
  },
  TAKEOVER_NOT_ALLOWED: {
    title: 'It cannot be taken over',
    message: 'Only an operation that is FAILED, as you saw it, can be taken over.',
    remedy: 'Look at its state now.',
  },
  INSTALLATION_EXISTS: {
    title: 'It is already installed here',
    message: 'The scope has an installation of this bundle that is not detached.',
    remedy: 'Upgrade or configure that installation, or detach it first.',
  },
  INSTALLATION_NOT_ACTIVE: {
    title: 'The installation is not active',
    message: 'Only an active installation can do this.',
    remedy: 'Look at its state and its claim.',
  },
  MANIFEST_INVALID: {
    title: 'The manifest is not valid',
    message: 'The author manifest breaks a rule.',
    remedy: 'Mend what is named, then publish again.',
  },
  VERSION_EXISTS: {
    title: 'This version is published',
    message: 'A published version never changes.',
    remedy: 'Publish under a new version.',
  },
  LOCAL_SERVICE_STALE: {
    title: 'Somebody saved first',
    message: 'The local service has changed since you began. Nothing was written.',
    remedy: 'Compare, then save on top of the new version.',
  },
  PLUGIN_NOT_REGISTERED: {
    title: 'The plugin cannot be called',
    message: 'It is not registered, or it is disabled.',
    remedy: 'Register or enable the plugin, then retry.',
  },
  PLUGIN_UNREACHABLE: {
    title: 'The plugin could not be reached',
    message: 'No answer came back, so what it did is not known.',
    remedy: 'See that the plugin is up and its address is right. The call is repeated by itself.',
  },
  PLUGIN_TIMEOUT: {
    title: 'The plugin did not answer in time',
    message: 'No answer came in time, so what it did is not known.',
    remedy: 'See what keeps the plugin. The call is repeated by itself.',
  },
  PLUGIN_RESPONSE_INVALID: {
    title: 'The plugin broke the protocol',
    message: 'Its answer is not valid, and nothing of it was kept.',
    remedy: 'Have the plugin mended, then retry.',
  },
  PLUGIN_REPORTED_FAILURE: {
    title: 'The plugin failed',
    message: 'The plugin answered that it failed.',
    remedy: 'See its message, mend the cause, then retry.',
  },
  PLUGIN_RESULT_UNKNOWN: {
    title: 'The result is not known',
    message: 'The plugin did not tell a result in all attempts of this run.',
    remedy: 'See the plugin’s own state, then retry: the same call is repeated and is safe.',
  },
  REFERENCE_NOT_AUTHORIZED: {
    title: 'The reference may not be resolved',
    message: 'The authorization does not list it.',
    remedy: 'Have the bundle’s author add the property to credentialProperties.',
  },
  REFERENCE_TARGET_UNAVAILABLE: {
    title: 'The referenced service is not available',
    message: 'It does not exist, is disabled, or may not be used from this scope.',
    remedy: 'Choose another service, or have it enabled for this scope.',
  },
  CREDENTIAL_REVOKED: {
    title: 'The credential was revoked',
    message: 'It is known, but no longer valid.',
    remedy: 'Make a new credential and give it to the plugin.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'This cannot be done here',
    message: 'The address does not take this method.',
    remedy: 'Reload the page.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    message: 'The body is over the limit of this call.',
    remedy: 'Send less at a time.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'The request has the wrong type',
    message: 'The body must be uncompressed JSON.',
    remedy: 'Send application/json.',
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    message: 'There were too many requests in a short time.',
    remedy: 'Wait a moment, then try again.',
  },
  UPSTREAM_INVALID: {
    title: 'The runtime answered wrongly',
    message: 'The answer of the runtime could not be understood.',
    remedy: 'Try again; if it stays, give the request id to whoever runs the console.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'The runtime cannot be reached',
    message: 'The console is up, the runtime is not.',
    remedy:
      'Pages load again once it is back. To repeat a change, send it again: it is never carried out twice.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'The runtime did not answer in time',
    message: 'Whether the request was carried out is not known yet.',
    remedy: 'Try again: the same request is never carried out twice.',
  },
  INTERNAL_ERROR: {
    title: 'Something went wrong',
    message: 'The console made an error of its own.',
    remedy: 'Try again; if it stays, give the request id to whoever runs the console.',
  },
  SERVICE_UNAVAILABLE: {
    title: 'Not available right now',
    message: 'The service is starting, stopping or overloaded.',
    remedy: 'Try again in a moment.',
  },
}

/** A code that the catalogue does not know is shown as it is, with a general remedy. */
export function describeCode(code: string): CatalogueEntry {
  return (
    catalogue[code] ?? {
      title: code,
      message: `The answer was ${code}.`,
      remedy: 'See the message; if it does not help, give the request id to whoever runs the console.',
    }
  )
}

const STATUS: Readonly<Record<string, number>> = {
  AUTHENTICATION_REQUIRED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFIGURATION_SNAPSHOT_STALE: 409,
  OPERATION_IN_PROGRESS: 409,
  OPERATION_CLAIM_HELD: 409,
  OPERATION_NOT_RETRYABLE: 409,
  TAKEOVER_NOT_ALLOWED: 409,
  INSTALLATION_EXISTS: 409,
  INSTALLATION_NOT_ACTIVE: 409,
  VERSION_EXISTS: 409,
  LOCAL_SERVICE_STALE: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  REQUEST_INVALID: 400,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  PROPERTY_PROTECTED: 422,
  PROPERTY_INVALID: 422,
  RESOURCE_OWNERSHIP_MISSING: 422,
  MANIFEST_INVALID: 422,
  PLUGIN_NOT_REGISTERED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UPSTREAM_INVALID: 502,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
  SERVICE_UNAVAILABLE: 503,
}

/** The HTTP status of a failure code; unknown codes go by whether a repeat can help. */
export function statusOf(code: string, retryable: boolean): number {
  return STATUS[code] ?? (retryable ? 503 : 422)
}
