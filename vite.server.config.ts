import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The part of the console that renders pages on the console's server (`bff/document/page-renderer.ts`), as one file. */
export default defineConfig({
  plugins: [react()],
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  ssr: { noExternal: true },
  build: {
    ssr: 'web/server/render-page.tsx',
    outDir: 'dist/web/.server',
    emptyOutDir: true,
    target: 'node24',
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
})
