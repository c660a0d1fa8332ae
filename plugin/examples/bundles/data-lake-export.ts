import type { AuthorManifest, ManifestResource } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { cron, data, enabled, instanceRef, secret, serviceMap, timeZone, without } from './definitions.ts'

const bundle = { environmentKey: 'staging', bundleId: 'data-lake-export' }
const title = 'Data lake export'

const exporterProperties: Record<string, PropertyDefinition> = {
  instanceRefProperty: instanceRef,
  bucketUrl: data(
    {
      type: 'string',
      format: 'uri',
      title: 'Bucket',
      description: 'Where files are written, such as s3://lake/raw.',
      maxLength: 500,
    },
    { group: 'Target', order: 1, required: true },
  ),
  accessKey: secret(
    { type: 'string', title: 'Access key', minLength: 16, maxLength: 200 },
    { group: 'Target', order: 2 },
  ),
  format: data(
    { type: 'string', enum: ['parquet', 'csv', 'jsonl'], title: 'Format' },
    { group: 'Files', order: 1, default: 'parquet' },
  ),
  rowsPerFile: data(
    { type: 'integer', title: 'Maximum rows per file', minimum: 1000, maximum: 10000000, multipleOf: 1000 },
    { group: 'Files', order: 2, default: 1000000 },
  ),
  tables: data(
    {
      type: 'array',
      title: 'Tables',
      items: { type: 'string', pattern: '^[a-z_]{1,63}$' },
      minItems: 1,
      uniqueItems: true,
    },
    { group: 'Source', order: 1, required: true, default: ['orders', 'customers'] },
  ),
  sources: serviceMap({ group: 'Source', order: 2 }),
  options: data(
    {
      type: 'object',
      title: 'Options',
      description: 'Passed to the writer unchanged; any JSON.',
      additionalProperties: true,
    },
    { group: 'Files', order: 3, default: { compression: 'zstd', statistics: { enabled: true } } },
  ),
  legacyNames: data({ type: 'boolean', title: 'Legacy names' }, { group: 'Files', order: 4, default: false }),
}

const exporter = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'exporter',
  title: 'Exporter',
  moduleId: 'module-exporter',
  properties,
})

const catalogue: ManifestResource = {
  kind: 'MODULE',
  name: 'schema-catalogue',
  title: 'Schema catalogue',
  moduleId: 'module-schema-catalogue',
  properties: {
    strictness: data(
      { type: 'string', enum: ['report', 'refuse'], title: 'If a column is unknown' },
      { group: 'Checks', order: 1, default: 'report' },
    ),
  },
}

const timer = (name: string, timerTitle: string, whenAbsent: string): ManifestResource => ({
  kind: 'TIMER',
  name,
  title: timerTitle,
  properties: { cron: cron('When to export', whenAbsent), timeZone, enabled },
})

const contact = data(
  { type: 'string', format: 'email', title: 'Contact', description: 'Notified when an export fails.' },
  { group: 'Target', order: 3, required: true },
)

/** No plugins: its CONFIGURE has an owner and no call. 1.1.0 adds a Module, 2.0.0 requires a contact. */
export const dataLakeExport: AuthorManifest[] = [
  {
    bundle,
    title,
    version: '1.0.0',
    description: 'Copies tables into a data lake every night.',
    resources: [exporter(exporterProperties), timer('nightly-export', 'Nightly export', '0 1 * * *')],
    plugins: [],
  },
  {
    bundle,
    title,
    version: '1.1.0',
    description: 'Copies tables into a data lake every night and checks their columns.',
    resources: [
      exporter(exporterProperties),
      catalogue,
      timer('nightly-export', 'Nightly export', '0 1 * * *'),
    ],
    plugins: [],
  },
  {
    bundle,
    title,
    version: '2.0.0',
    description: 'Copies tables into a data lake every night and every hour, and checks their columns.',
    resources: [
      exporter({ ...without(exporterProperties, 'legacyNames'), contact }),
      catalogue,
      timer('nightly-export', 'Nightly export', '0 1 * * *'),
      timer('hourly-increment', 'Hourly increment', '5 * * * *'),
    ],
    plugins: [],
  },
]
