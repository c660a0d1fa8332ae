import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), tailwindcss()],
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
    // the server reads it to preload what a page needs
    manifest: true,
    // fonts as data: URLs would break `font-src 'self'`
    assetsInlineLimit: 0,
    // it would only add script for browsers that we do not support
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
    reportCompressedSize: false,
  },
})
