import type { Attempt, OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'

/** Fixtures: operations for tests, each given by its differences from a default. */
export const START = Date.parse('2026-11-20T10:00:00.000Z')

export const at = (ms: number) => new Date(START + ms).toISOString()

export function attempt(changed: Partial<Attempt> = {}): Attempt {
  return {
    attempt: 1,
    run: 1,
    late: false,
    startedAt: at(0),
    durationMs: 100,
    outcome: 'APPLIED',
    failure: null,
    httpStatus: 200,
    response: { errorCode: '0', data: {} },
    ...changed,
  }
}

export const failure = (errorCode: string, retryable: boolean, plugin = 'hooks') => ({
  errorCode,
  message: `It was ${errorCode}.`,
  retryable,
  errorPath: ['bundle-runtime', plugin],
})

export const timeout = (changed: Partial<Attempt> = {}) =>
  attempt({
    outcome: null,
    failure: failure('PLUGIN_TIMEOUT', true),
    httpStatus: null,
    response: null,
    ...changed,
  })

export const refusal = (changed: Partial<Attempt> = {}) =>
  attempt({
    outcome: null,
    failure: failure('MAILBOX_LOCKED', false),
    response: { errorCode: 'MAILBOX_LOCKED', data: null },
    ...changed,
  })

export function call(
  pluginId: string,
  order: number,
  attempts: Attempt[],
  writes: PluginCall['writes'] = [],
) {
  return {
    pluginId,
    order,
    outcome: attempts.at(-1)?.outcome ?? null,
    runAttempts: attempts.length,
    uncertainAttempts: attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length,
    request: {},
    attempts,
    writes,
  }
}

export function operation(
  changed: Partial<OperationDetail> = {},
  calls: { before?: PluginCall[]; after?: PluginCall[] } = {},
): OperationDetail {
  return {
    operationId: '01900000-0000-7000-8000-000000000001',
    retryHelps: null,
    operationType: 'CONFIGURE',
    currentVersion: '1.0.0',
    targetVersion: '1.0.0',
    installation: {
      environmentKey: 'production',
      applicationRuntimeId: 'eu-central',
      workspaceId: 1,
      bundleInstallId: '01900000-0000-7000-8000-000000000002',
      bundle: { environmentKey: 'staging', bundleId: 'support-desk' },
    },
    executionSequence: 3,
    run: 1,
    state: 'SUCCEEDED',
    phase: 'DONE',
    call: null,
    takesOver: null,
    takenOverBy: null,
    failure: null,
    requestedBy: { id: 'u1', name: 'Mira' },
    reason: null,
    createdAt: at(0),
    startedAt: at(0),
    finishedAt: at(1000),
    nextAttemptAt: null,
    runStartedAt: at(0),
    earlierRunsMs: 0,
    assignee: null,
    notes: [],
    retries: [],
    takeover: null,
    nextStep: { actor: 'NOBODY', action: 'NONE', since: at(1000) },
    stages: [
      { stage: 'BEFORE_RESOURCES', state: 'DONE', calls: calls.before ?? [] },
      { stage: 'AFTER_RESOURCES', state: 'PENDING', calls: calls.after ?? [] },
    ],
    resources: [
      {
        locator: 'staging/support-desk/MODULE/inbox',
        action: 'CONFIGURE',
        currentVersion: '1.0.0',
        targetVersion: '1.0.0',
        state: 'DONE',
      },
    ],
    changes: [],
    plugins: [],
    ...changed,
  }
}
