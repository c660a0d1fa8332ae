import { fileURLToPath } from 'node:url'
import { parseProfile, type Profile } from '../src/profile.ts'

const MAIN = fileURLToPath(new URL('reference-main.ts', import.meta.url))

/** The profile of the reference plugin at an address; with a file, the checker starts it as a process. */
export function referenceProfile(
  url: string,
  program?: { file: string; defect: string; style?: string; answerMs?: number },
): Profile {
  return parseProfile(
    {
      pluginId: 'reference-plugin',
      resources: {
        'production/crm-suite/MODULE/crm-core': {
          properties: { displayName: 'Northwind', plan: 'team', seats: 7 },
          changed: { displayName: 'Northwind Sales' },
          invalid: { displayName: 7 },
          sensitive: ['plan'],
          optional: ['displayName'],
          references: { mail: { '@type': 'ServiceReference', serviceId: 'mail' } },
          writes: {
            tenantId: {},
            accessToken: { isSensitive: true, isIssued: true },
            region: { schema: { minLength: 1 } },
          },
        },
      },
      events: { mail: ['tenantCreated'] },
      services: { mail: {} },
      provoke: {
        temporaryFailure: { begin: `${url}/fail`, end: `${url}/heal` },
        slow: { begin: `${url}/slow`, end: `${url}/fast` },
      },
      resolvesReferences: true,
      credential: 'reference-credential',
      state: `${url}/tenants?of={bundleInstallId}`,
      timeoutMs: 5_000,
      ...(program !== undefined && {
        start: {
          command: [process.execPath, MAIN],
          env: {
            PORT: new URL(url).port,
            PLATFORM: '{platform}',
            FILE: program.file,
            DEFECT: program.defect,
            STYLE: program.style ?? '',
            ANSWER_MS: String(program.answerMs ?? 0),
          },
        },
      }),
    },
    'of the reference plugin',
  )
}
