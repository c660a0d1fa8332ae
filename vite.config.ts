import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunks } from './scripts/console/chunks.ts'
import { fontSubsets } from './scripts/console/fonts.ts'
import { pageScripts } from './scripts/console/page-scripts.ts'
import { plainImports } from './scripts/console/plain-imports.ts'

const split = chunks()
const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), fontSubsets(), split.plugin, plainImports(), pageScripts()],
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
    modulePreload: false,
    target: 'baseline-widely-available',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: split.name }],
        },
      },
    },
  },
})
