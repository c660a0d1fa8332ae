import { LANGUAGES } from './contract/protocol/languages.ts'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontSubsets } from './scripts/console/fonts.ts'
import { pageScripts } from './scripts/console/page-scripts.ts'

/**
 * What lists and reports share, none of which imports a form; `scripts/console/page-scripts.ts` refuses a build in which a page
 * without forms loads them.
 */
const WITHOUT_FORMS =
  /\/web\/(base|api|addresses|i18n|ui|layouts|subjects\/(alerts|batch|causes|change-requests\/change-looks|gate|inbox|operations|people|plan\/(ChangeList|PlannedCalls)|manifest\/BundleName|scopes\/use-scope-search|sign-in|views)|pages\/(batches|inbox\/follow-name|installations|operations\/causes))\b/

/** What checks fixed forms, and all that imports it: a form of properties, such as the configuration, has none of it. */
const FIXED_FORMS =
  /\/node_modules\/(zod|@hookform)\/|\/contract\/protocol\/keys\.|\/web\/(forms\/(dialogs\/|fields\/|form\/(Form|LeaveGuard|server-errors|use-submit|use-zod-form)\.)|pages\/(notifications|plugins|services)\/|subjects\/operation-form\/)/

const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), fontSubsets(), pageScripts()],
  resolve: {
    // React has the hook that the shim replaces
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  server: {
    proxy: {
      '/api': server,
      '/auth': server,
      '/idp': server,
    },
  },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    sourcemap: false,
    // fonts as data: URLs would break `font-src 'self'`
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // each page, and each part that is loaded on demand, has a script of its own
          groups: [
            {
              // stays in the cache of a browser across deployments
              name: 'libraries',
              test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*virtual).*)\//,
            },
            // two parts on demand use it, and the first paint does not
            { name: 'text-diff', test: /\/(node_modules\/diff|web\/ui\/value\/text-diff\.ts)/ },
            // A group takes with it what its modules import, so what pages without forms use comes before the forms. All of them
            // come before the languages, which would take them along: each page would load English.
            { name: 'start', tags: ['$initial'], test: /\/(web|contract|node_modules)\// },
            { name: 'lists', minShareCount: 2, test: WITHOUT_FORMS },
            { name: 'operation', minShareCount: 2, test: /\/web\/(pages\/operations|subjects\/plan)\// },
            {
              name: 'forms',
              minShareCount: 2,
              test: (id) => /\/(web|contract|node_modules)\//.test(id) && !FIXED_FORMS.test(id),
            },
            { name: 'fixed-forms', minShareCount: 2, test: FIXED_FORMS },
            // with the codes: in the script of the language, which imports this one, these texts would be read before the codes are there
            {
              name: 'texts-en',
              test: /\/(web\/i18n\/en\/|contract\/console-api\/(catalogue|connection-codes)\.)/,
            },
            ...LANGUAGES.filter((language) => language !== 'en').map((language) => ({
              name: `texts-${language}`,
              test: new RegExp(`/web/i18n/${language}/`),
            })),
          ],
        },
      },
    },
  },
})
