import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

/** What imports what: files by path, or folders. */
export type Imports = Map<string, Set<string>>

/**
 * Which of the files each of them imports by a relative path: also for types, to export it again, and with `import()`,
 * which oxlint's `import/no-cycle` does not follow.
 *
 * @param sources the text of each file, by its path
 */
export function readImports(sources: Readonly<Record<string, string>>): Imports {
  return new Map(
    Object.entries(sources).map(([file, text]) => {
      const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
      const named = [
        ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
        ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
        // the text between the quotes
        ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
      ]
      const paths = named.flatMap((name) => (name?.startsWith('.') ? [join(dirname(file), name)] : []))
      return [file, new Set(paths.filter((path) => path !== file && Object.hasOwn(sources, path)))]
    }),
  )
}

/** The same between folders. */
export function betweenFolders(imports: Imports, folderOf: (file: string) => string = dirname): Imports {
  const folders: Imports = new Map()
  for (const [file, imported] of imports) {
    const folder = folderOf(file)
    const others = folders.get(folder) ?? new Set()
    folders.set(folder, others)
    for (const other of imported) if (folderOf(other) !== folder) others.add(folderOf(other))
  }
  return folders
}

/** The imports that belong to a circle or lead from one circle to another, each as `one → other`; empty if there is none. */
export function circularImports(imports: Imports): string[] {
  let edges = [...imports].flatMap(([from, all]) => [...all].map((to) => ({ from, to })))
  for (;;) {
    const [starts, ends] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))]
    const circular = edges.filter(({ from, to }) => ends.has(from) && starts.has(to))
    if (circular.length === edges.length) return edges.map(({ from, to }) => `${from} → ${to}`).toSorted()
    edges = circular
  }
}
