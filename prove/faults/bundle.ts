import type { AuthorManifest } from '#contract/protocol/manifest.ts'

/** A sensitive value that the plugin of each cell may read. */
export const SECRET = 'a-password-of-the-cells'

export const locatorOf = (name: string): string => `dev/${name}/MODULE/core`

const text = { type: 'string', maxLength: 200 } as const

/** A bundle with one Module and one plugin, both named after their cell; the plugin writes `tenantId`. */
export function bundleOf(name: string, version: string): AuthorManifest {
  return {
    bundle: { environmentKey: 'dev', bundleId: name },
    version,
    title: name,
    resources: [
      {
        kind: 'MODULE',
        name: 'core',
        title: 'Core',
        moduleId: `${name}-core`,
        properties: {
          name: { kind: 'DATA', schema: text, required: true },
          password: { kind: 'DATA', schema: text, isSensitive: true },
          // anything fits, so that only what is wrong with an answer itself can be the reason to refuse it
          tenantId: { kind: 'DATA', schema: true },
          instanceRefProperty: { kind: 'DATA', schema: text },
        },
      },
    ],
    plugins: [
      {
        pluginId: name,
        order: 10,
        failurePolicy: 'FAIL_FAST',
        configuration: { schemaVersion: '1', values: {} },
        resources: [
          {
            object: { type: 'MODULE', moduleId: `${name}-core` },
            readProperties: ['name', 'password'],
            writeProperties: ['tenantId'],
            credentialProperties: [],
          },
        ],
      },
    ],
  }
}
