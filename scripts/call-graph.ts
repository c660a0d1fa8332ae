import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

/** A declaration of a file, as `web/api/write.ts#useWrite`. */
export type DeclarationId = `${string}#${string}`

export interface CallGraph {
  /** The top-level declarations with this name in files below the folder; without a name, all of them. */
  find(folder: string, name?: string): DeclarationId[]
  /**
   * The declarations that those of `from` use, directly or not, each with one that uses it (null for those of `from`).
   * Those in `pruned` are not entered.
   */
  reach(
    from: readonly DeclarationId[],
    pruned: ReadonlySet<DeclarationId>,
  ): Map<DeclarationId, DeclarationId | null>
}

interface ModuleNames {
  /** The top-level declarations that exist at run time, each with the names that its code uses. */
  declared: Map<string, Set<string>>
  /** The local name of each import, with its file and its name there. */
  imported: Map<string, { file: string; name: string }>
  /** The exported name of what another file declares. */
  passedOn: Map<string, { file: string; name: string }>
  /** The files of `export *`. */
  passedOnWhole: string[]
}

interface SyntaxNode {
  type: string
  [key: string]: unknown
}

/**
 * Which declaration uses which, by name: an import leads to what it names, and a name at the top level of a file to its
 * declaration. Types and modules of packages are left out; so are values that arrive as arguments, because their name
 * says nothing about what they are.
 *
 * @param root the folder of the repository
 * @param files the TypeScript sources to read, relative to it
 * @param aliases the folders that imports abbreviate, as `{'#web/': 'web/'}`
 */
export function readCallGraph(
  root: string,
  files: readonly string[],
  aliases: Readonly<Record<string, string>>,
): CallGraph {
  const known = new Set(files)
  const resolve = (importer: string, source: string): string | null => {
    const alias = Object.keys(aliases).find((prefix) => source.startsWith(prefix))
    const path =
      alias !== undefined
        ? `${aliases[alias]}${source.slice(alias.length)}`
        : source.startsWith('.')
          ? join(dirname(importer), source)
          : null
    return path !== null && known.has(path) ? path : null
  }
  const modules = new Map(files.map((file) => [file, readModule(root, file, resolve)]))

  const locate = (file: string, name: string): DeclarationId | null => {
    const names = modules.get(file)
    if (names === undefined) return null
    if (names.declared.has(name)) return `${file}#${name}`
    const from = names.imported.get(name) ?? names.passedOn.get(name)
    if (from !== undefined) return locate(from.file, from.name)
    for (const whole of names.passedOnWhole) {
      const found = locate(whole, name)
      if (found !== null) return found
    }
    return null
  }
  const usedBy = (id: DeclarationId): DeclarationId[] => {
    const [file = '', name = ''] = id.split('#')
    return [...(modules.get(file)?.declared.get(name) ?? [])]
      .map((used) => locate(file, used))
      .filter((used) => used !== null)
  }

  return {
    find: (folder, name) =>
      [...modules].flatMap(([file, { declared }]) =>
        file.startsWith(`${folder}/`)
          ? [...declared.keys()]
              .filter((candidate) => name === undefined || candidate === name)
              .map((candidate) => `${file}#${candidate}` as const)
          : [],
      ),
    reach(from, pruned) {
      const reached = new Map<DeclarationId, DeclarationId | null>(from.map((id) => [id, null]))
      // a map also visits what is added during the visit
      for (const id of reached.keys()) {
        for (const used of usedBy(id)) {
          if (!reached.has(used) && !pruned.has(used)) reached.set(used, id)
        }
      }
      return reached
    },
  }
}

function readModule(
  root: string,
  file: string,
  resolve: (importer: string, source: string) => string | null,
): ModuleNames {
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  const names: ModuleNames = {
    declared: new Map(),
    imported: new Map(),
    passedOn: new Map(),
    passedOnWhole: [],
  }
  const declare = (node: SyntaxNode | null): void => {
    if (node === null) return
    if (node.type === 'VariableDeclaration') {
      for (const declarator of node['declarations'] as SyntaxNode[]) {
        for (const name of namesOf(declarator['id'] as SyntaxNode)) {
          names.declared.set(name, usedNames(declarator['init']))
        }
      }
    } else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
      const { name } = node['id'] as { name: string }
      names.declared.set(name, usedNames(node))
    }
  }
  for (const node of program.body as unknown as SyntaxNode[]) {
    if (node['importKind'] === 'type' || node['exportKind'] === 'type') continue
    const source = (node['source'] as { value: string } | null | undefined)?.value
    const from = source === undefined ? null : resolve(file, source)
    const specifiers = (node['specifiers'] ?? []) as SyntaxNode[]
    if (node.type === 'ImportDeclaration') {
      if (from === null) continue
      for (const specifier of specifiers) {
        const imported = specifier['imported'] as SyntaxNode | undefined
        names.imported.set(nameOf(specifier['local']), {
          file: from,
          name: imported === undefined ? 'default' : nameOf(imported),
        })
      }
    } else if (node.type === 'ExportNamedDeclaration') {
      declare(node['declaration'] as SyntaxNode | null)
      for (const specifier of specifiers) {
        if (from === null) continue
        names.passedOn.set(nameOf(specifier['exported']), { file: from, name: nameOf(specifier['local']) })
      }
    } else if (node.type === 'ExportAllDeclaration') {
      if (from !== null) names.passedOnWhole.push(from)
    } else if (node.type === 'ExportDefaultDeclaration') {
      names.declared.set('default', usedNames(node['declaration']))
    } else declare(node)
  }
  return names
}

function nameOf(node: unknown): string {
  const { name, value } = node as { name?: string; value?: string }
  return name ?? value ?? ''
}

/** The names that a pattern declares, such as the two of `const [a, { b }] = …`. */
function namesOf(pattern: SyntaxNode): string[] {
  return [...usedNames(pattern)]
}

/** The names that the code of a node uses; keys of objects and names after a dot are none. */
function usedNames(node: unknown): Set<string> {
  const used = new Set<string>()
  const visit = (value: unknown, key: string, parent: SyntaxNode | null): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, key, parent)
      return
    }
    if (value === null || typeof value !== 'object' || !('type' in value)) return
    const current = value as SyntaxNode
    if (current.type === 'Identifier' || current.type === 'JSXIdentifier') {
      if (!isOnlyName(key, parent)) used.add(nameOf(current))
      return
    }
    if (isType(current.type)) return
    for (const [childKey, child] of Object.entries(current)) visit(child, childKey, current)
  }
  visit(node, '', null)
  return used
}

function isOnlyName(key: string, parent: SyntaxNode | null): boolean {
  if (parent === null) return false
  if (parent.type === 'MemberExpression') return key === 'property' && parent['computed'] !== true
  if (parent.type === 'JSXAttribute') return key === 'name'
  if (['Property', 'PropertyDefinition', 'MethodDefinition'].includes(parent.type))
    return key === 'key' && parent['computed'] !== true
  return false
}

/** Types, but not the expressions in `value as Type`, `value!` and `value satisfies Type`. */
function isType(type: string): boolean {
  return (
    type.startsWith('TS') &&
    !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSParameterProperty'].includes(type)
  )
}
