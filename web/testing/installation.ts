import type { InstallationDetail } from '#contract/console-api/shapes.ts'

/** An active installation without resources and plugins. */
export const installationDetail: InstallationDetail = {
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId: 1,
    bundleInstallId: '01920000-0000-7000-8000-000000000001',
    bundle: { environmentKey: 'production', bundleId: 'crm' },
  },
  title: 'CRM',
  state: 'ACTIVE',
  version: '1.0.0',
  upgradeTo: null,
  claim: null,
  nextStep: { actor: 'NOBODY', action: 'NONE', since: '2026-11-22T08:00:00.000Z' },
  updatedAt: '2026-11-22T00:00:00.000Z',
  resources: [],
  plugins: [],
  snapshotVersion: 3,
  detached: null,
  predecessor: null,
  successor: null,
}
