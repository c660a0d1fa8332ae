import { connectionCodes, type CatalogueEntry } from './connection-codes.ts'

/** The single catalogue of error codes; the console translates it by code. */
export const catalogue: Readonly<Record<string, CatalogueEntry>> = {
  ...connectionCodes,
  SIGN_IN_FAILED: {
    title: 'Sign-in failed',
    message: 'The user name or password was wrong, or the identity provider did not confirm the sign-in.',
    remedy: 'Sign in again.',
  },
  PERMISSION_DENIED: {
    title: 'You don’t have permission',
    message: 'None of your roles allows this here.',
    remedy: 'Ask an administrator for a role that allows it.',
  },
  RECENT_SIGN_IN_REQUIRED: {
    title: 'Sign in again to continue',
    message: 'This needs a recent sign-in, and you signed in too long ago. Nothing was started.',
    remedy: 'Sign in again as the same person, then confirm again. What you entered is kept.',
  },
  NOT_FOUND: {
    title: 'Not found',
    message: 'It does not exist, or you don’t have access to it.',
    remedy: 'Check the address, or search for it.',
  },
  REQUEST_INVALID: {
    title: 'Invalid request',
    message: 'Part of the request is not valid.',
    remedy: 'Fix what the message describes, then try again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'Idempotency key already used',
    message: 'The same idempotency key was sent with a different request.',
    remedy: 'Reload the page and try again.',
  },
  CONFIGURATION_SNAPSHOT_STALE: {
    title: 'Someone else saved first',
    message: 'The configuration has changed since you started. Nothing was saved.',
    remedy: 'Compare their changes with yours, then save on top of the new snapshot.',
  },
  PLAN_STALE: {
    title: 'The plan is out of date',
    message: 'Something that the plan is based on has changed. Nothing was started.',
    remedy: 'Review the new plan, then confirm again. What you entered is kept.',
  },
  RESOURCE_OWNERSHIP_MISSING: {
    title: 'No installation owns this resource',
    message: 'No active installation in this scope owns it.',
    remedy: 'Check the resource name, or install its bundle first.',
  },
  PROPERTY_PROTECTED: {
    title: 'This property is protected',
    message: 'Only the runtime can write it.',
    remedy: 'Remove it from your changes.',
  },
  TOO_MANY_COMPARISONS: {
    title: 'Too many values tried',
    message:
      'You have given too many different values for a sensitive property within an hour. Nothing was saved or compared.',
    remedy: 'Leave the property out, or wait and try again. What you entered is kept.',
  },
  PROPERTY_MANAGED: {
    title: 'Managed by someone else',
    message: 'The apply would change properties that it does not manage. Nothing was saved.',
    remedy: 'Leave these properties out, or take each of them over with a reason.',
  },
  PROPERTY_INVALID: {
    title: 'Invalid value',
    message: 'A value does not match its definition.',
    remedy: 'Fix the marked fields.',
  },
  OPERATION_IN_PROGRESS: {
    title: 'An operation is in progress',
    message: 'An operation has locked this installation. Nothing was saved.',
    remedy: 'Wait until the operation ends. The form is then unlocked automatically.',
  },
  OPERATION_CLAIM_HELD: {
    title: 'Locked by a failed operation',
    message: 'A failed operation keeps this installation locked. Nothing was saved.',
    remedy: 'Retry that operation, or take it over.',
  },
  OPERATION_NOT_RETRYABLE: {
    title: 'This operation can’t be retried',
    message: 'The operation has not failed, or it has changed since you loaded it.',
    remedy: 'Check its current state.',
  },
  TAKEOVER_NOT_ALLOWED: {
    title: 'This operation can’t be taken over',
    message: 'The operation has not failed, or it has changed since you loaded it.',
    remedy: 'Check its current state.',
  },
  OPERATION_ASSIGNEE_CHANGED: {
    title: 'The assignee has changed',
    message: 'Someone else has changed the assignee since you loaded the operation. Nothing was changed.',
    remedy: 'Check who it is assigned to now.',
  },
  CAUSE_STALE: {
    title: 'The cause has changed',
    message: 'Someone else, or a retry, has changed the cause since you loaded it. Nothing was changed.',
    remedy: 'Check its current state and who works on it.',
  },
  INSTALLATION_EXISTS: {
    title: 'Already installed in this scope',
    message: 'This scope has an installation of this bundle that is not detached.',
    remedy: 'Upgrade or configure that installation, or detach it first.',
  },
  INSTALLATION_NOT_ACTIVE: {
    title: 'The installation is not active',
    message: 'This requires an active installation.',
    remedy: 'Check the installation’s state and what has locked it.',
  },
  MANIFEST_INVALID: {
    title: 'Invalid manifest',
    message: 'The manifest breaks one or more rules.',
    remedy: 'Fix the listed problems, then publish again.',
  },
  VERSION_EXISTS: {
    title: 'This version is already published',
    message: 'A published version cannot be changed.',
    remedy: 'Publish under a new version number.',
  },
  LOCAL_SERVICE_STALE: {
    title: 'Someone else saved first',
    message: 'The local service has changed since you started. Nothing was saved.',
    remedy: 'Compare the two versions, then save on top of the new one.',
  },
  REGISTRATION_EXISTS: {
    title: 'This ID is already registered',
    message: 'Nothing was saved.',
    remedy: 'Choose another ID, or edit the registration that has it.',
  },
  REGISTRATION_STALE: {
    title: 'The registration has changed',
    message: 'It was saved again after you opened it. Your change was not saved.',
    remedy: 'Open the form again, and apply your change to the current registration.',
  },
  WEBHOOK_STALE: {
    title: 'The webhook has changed',
    message: 'It was saved again after you opened it. Your change was not saved.',
    remedy: 'Open the form again, and apply your change to the current webhook.',
  },
  PLUGIN_NOT_CHECKED: {
    title: 'A plugin has no passing report',
    message: 'This environment requires a passing plugin-check report of every plugin that is called.',
    remedy: 'Upload the report of the plugin, or ask an administrator about the policy.',
  },
  PLUGIN_RETIRED: {
    title: 'A plugin is retired',
    message: 'A plugin that the operation would call is gone for good, so only a detach is possible.',
    remedy:
      'Detach the installation and install a version without the plugin, or ask an administrator to reinstate the plugin.',
  },
  CHANGES_FROZEN: {
    title: 'Changes are frozen',
    message: 'A freeze refuses changes of this kind now. Nothing was changed.',
    remedy: 'Wait until the freeze ends, or ask an administrator.',
  },
  INSTALLATION_PROTECTED: {
    title: 'The installation is protected',
    message: 'It cannot be detached or taken over while it is protected. Nothing was changed.',
    remedy: 'Find out why it is protected, then lift the protection on its page.',
  },
  VERSION_PINNED: {
    title: 'The installation is pinned to other versions',
    message: 'It can be upgraded only to a version that its pin allows. Nothing was changed.',
    remedy: 'Choose a version that the pin allows, or remove the pin on the page of the installation.',
  },
  VERSION_RECALLED: {
    title: 'The version is recalled',
    message: 'A recalled version can no longer be installed. Nothing was changed.',
    remedy: 'Choose another version. The page of the recalled one says why.',
  },
  FREEZE_STALE: {
    title: 'The freeze has changed',
    message: 'It was saved again after you opened it. Your change was not saved.',
    remedy: 'Open the form again, and apply your change to the current freeze.',
  },
  APPROVAL_REQUIRED: {
    title: 'An approval is required',
    message: 'The environment requires an approved change request for this change.',
    remedy: 'Request a review, or ask someone to approve the open change request.',
  },
  CHANGE_REQUEST_STATE: {
    title: 'Not possible in this state',
    message: 'The change request has a conflict or has ended, or someone else has changed it.',
    remedy: 'Check its current state.',
  },
  CHANGE_REQUEST_STALE: {
    title: 'The change request has changed',
    message: 'Someone else has edited it since you read it.',
    remedy: 'Review it again, then repeat your action.',
  },
  CHANGE_POLICY_STALE: {
    title: 'The policy has changed',
    message: 'Someone else has changed it since you read it.',
    remedy: 'Review it again, then repeat your change.',
  },
  BATCH_NOT_PAUSED: {
    title: 'The batch is not paused',
    message: 'Someone else has continued or stopped it, or it has finished.',
    remedy: 'Check its current state.',
  },
  BATCH_FINISHED: {
    title: 'The batch has finished',
    message: 'Nothing is left to stop.',
    remedy: 'Check its results.',
  },
  BATCH_ITEM_NOT_STARTED: {
    title: 'The item could not be started',
    message: 'The runtime tried several times to start this item and failed.',
    remedy: 'Check the runtime’s log, then start the item by itself.',
  },
  NUMBERS_USED_UP: {
    title: 'No numbers left',
    message: 'An execution sequence or a snapshot version has reached its maximum. Nothing was changed.',
    remedy: 'Tell the platform team. Normal use never reaches this number.',
  },
  PLUGIN_NOT_REGISTERED: {
    title: 'The plugin can’t be called',
    message: 'It is not registered, or it is disabled.',
    remedy: 'Register the plugin. If someone disabled it, ask them before it is enabled again. Then retry.',
  },
  PLUGIN_UNREACHABLE: {
    title: 'The plugin could not be reached',
    message: 'No response was received, so we don’t know what the plugin did.',
    remedy:
      'Check that the plugin is running and its endpoint is correct. If the operation has failed, retry it.',
  },
  PLUGIN_TIMEOUT: {
    title: 'The plugin did not respond in time',
    message: 'No response was received in time, so we don’t know what the plugin did.',
    remedy: 'Check why the plugin is slow. If the operation has failed, retry it.',
  },
  PLUGIN_RESPONSE_INVALID: {
    title: 'The plugin sent an invalid response',
    message: 'The response breaks the protocol. Nothing in it was saved.',
    remedy: 'Ask the plugin’s owner to fix it, then retry.',
  },
  PLUGIN_REPORTED_FAILURE: {
    title: 'The plugin failed',
    message: 'The plugin reported a failure.',
    remedy: 'Check the plugin’s logs for this operation ID, fix the cause, then retry.',
  },
  PLUGIN_RESULT_UNKNOWN: {
    title: 'The result is unknown',
    message: 'At least one attempt of this run has no definite result.',
    remedy:
      'Check the plugin’s own state and its logs for this operation ID, then retry. A retry sends the identical request, which a plugin must not carry out twice.',
  },
  REFERENCE_NOT_AUTHORIZED: {
    title: 'The reference is not authorized',
    message: 'The authorization does not list it.',
    remedy: 'Ask the bundle’s author to add the property to credentialProperties.',
  },
  REFERENCE_TARGET_UNAVAILABLE: {
    title: 'The referenced service is not available',
    message: 'It does not exist, is disabled, or can’t be used from this scope.',
    remedy: 'Choose another service, or ask an administrator to enable this one for the scope.',
  },
  CREDENTIAL_REVOKED: {
    title: 'The credential was revoked',
    message: 'The credential is known but no longer valid.',
    remedy: 'Create a new credential and give it to the plugin.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'Method not allowed',
    message: 'This address does not accept this method.',
    remedy: 'Reload the page.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The request is too large',
    message: 'The body exceeds the limit of this endpoint.',
    remedy: 'Send less at a time.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'Unsupported content type',
    message: 'The body must be uncompressed JSON.',
    remedy: 'Send application/json.',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'The runtime can’t be reached',
    message: 'The console is running, but the runtime is not responding.',
    remedy: 'Pages reload when it is back. To repeat a change, send it again: it is never carried out twice.',
  },
  INTERNAL_ERROR: {
    title: 'Something went wrong',
    message: 'The console ran into an error.',
    remedy: 'Try again. If this continues, send the request ID to your administrator.',
  },
}

/** An unknown code is shown as is, with general advice. */
export function describeCode(code: string): CatalogueEntry {
  return (
    catalogue[code] ?? {
      title: code,
      message: `The error code is ${code}.`,
      remedy: 'Check the message. If it doesn’t help, send the request ID to your administrator.',
    }
  )
}

const STATUS: Readonly<Record<string, number>> = {
  AUTHENTICATION_REQUIRED: 401,
  PERMISSION_DENIED: 403,
  RECENT_SIGN_IN_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFIGURATION_SNAPSHOT_STALE: 409,
  PLAN_STALE: 409,
  TOO_MANY_COMPARISONS: 429,
  PROPERTY_MANAGED: 409,
  OPERATION_IN_PROGRESS: 409,
  OPERATION_CLAIM_HELD: 409,
  OPERATION_NOT_RETRYABLE: 409,
  TAKEOVER_NOT_ALLOWED: 409,
  OPERATION_ASSIGNEE_CHANGED: 409,
  CAUSE_STALE: 409,
  NUMBERS_USED_UP: 409,
  INSTALLATION_EXISTS: 409,
  INSTALLATION_NOT_ACTIVE: 409,
  VERSION_EXISTS: 409,
  LOCAL_SERVICE_STALE: 409,
  REGISTRATION_EXISTS: 409,
  REGISTRATION_STALE: 409,
  WEBHOOK_STALE: 409,
  PLUGIN_NOT_CHECKED: 409,
  PLUGIN_RETIRED: 409,
  CHANGES_FROZEN: 409,
  FREEZE_STALE: 409,
  INSTALLATION_PROTECTED: 409,
  VERSION_PINNED: 409,
  VERSION_RECALLED: 409,
  APPROVAL_REQUIRED: 409,
  CHANGE_REQUEST_STATE: 409,
  CHANGE_REQUEST_STALE: 409,
  CHANGE_POLICY_STALE: 409,
  BATCH_NOT_PAUSED: 409,
  BATCH_FINISHED: 409,
  BATCH_ITEM_NOT_STARTED: 500,
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

/** The HTTP status for a failure code; for unknown codes it depends on whether a retry can help. */
export function statusOf(code: string, retryable: boolean): number {
  return STATUS[code] ?? (retryable ? 503 : 422)
}
