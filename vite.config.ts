import { LANGUAGES } from './contract/protocol/languages.ts'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontSubsets } from './scripts/console/fonts.ts'
import { pageScripts } from './scripts/console/page-scripts.ts'
import { sharedScripts } from './scripts/console/shared-scripts.ts'

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
          groups: [
            {
              // stays in the cache of a browser across deployments
              name: 'libraries',
              test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*virtual).*)\//,
            },
            // two parts on demand use it, and the first paint does not
            { name: 'text-diff', test: /\/(node_modules\/diff|web\/ui\/value\/text-diff\.ts)/ },
            ...sharedScripts,
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
