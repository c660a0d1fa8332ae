import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { billing } from './billing.ts'
import { crmSuite } from './crm-suite.ts'
import { dataLakeExport } from './data-lake-export.ts'
import { storefront } from './storefront.ts'
import { supportDesk } from './support-desk.ts'

/** All versions of the five demo bundles, oldest first within a bundle. */
export const demoBundles: AuthorManifest[] = [
  ...crmSuite,
  ...billing,
  ...storefront,
  ...supportDesk,
  ...dataLakeExport,
]
