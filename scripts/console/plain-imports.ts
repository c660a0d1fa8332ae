import type { Plugin } from 'vite'

/**
 * Replaces Vite's helper for imports on demand, which loads the styles of a chunk before the chunk. All styles of the
 * console are in one file that every page loads, so that an import needs no more than itself.
 */
export function plainImports(): Plugin {
  return {
    name: 'console-plain-imports',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /preload-helper/ },
      handler: () => ({ code: 'export const __vitePreload = (load) => load()', map: null }),
    },
  }
}
