import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fontSubsets } from './scripts/console/fonts.ts'
import { pageScripts } from './scripts/console/page-scripts.ts'

const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), fontSubsets(), pageScripts()],
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
    // it would only add script for browsers that we do not support
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Left alone, the bundler makes a chunk of every small thing that two pages share, each a request of a cold
          // visit. So: what hardly ever changes, what every page has, and the pages. What opens on demand stays apart.
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(history|query-core|react-query|react-router|react-store|router-core|store))\//,
              priority: 2,
            },
            {
              name: 'console',
              test: /\/web\/(?!pages\/\w|forms\/|i18n\/(en|zh)\/|ui\/(values\/|Combobox|dialog\/Confirm|table\/Virtual))[^?]*\.tsx?$|\/contract\/endpoint\/permission|\/contract\/console-api\/pages\//,
              priority: 1,
            },
          ],
        },
      },
    },
  },
})
