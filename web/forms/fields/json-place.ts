import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pointerSegments } from '#contract/json-schema/pointer.ts'

/** The range in the editor's text that a JSON pointer refers to; the whole text when it refers to nothing. */
export function findJsonPlace(state: EditorState, pointer: string): { from: number; to: number } {
  let node = syntaxTree(state).topNode.firstChild
  for (const segment of pointerSegments(pointer)) {
    const next = node === null ? null : childAt(state, node, segment)
    if (next === null) break
    node = next
  }
  return node === null ? { from: 0, to: state.doc.length } : { from: node.from, to: node.to }
}

function childAt(state: EditorState, node: SyntaxNode, segment: string): SyntaxNode | null {
  if (node.name === 'Array') {
    const values = children(node).filter((child) => !['[', ']', ',', '⚠'].includes(child.name))
    return values[Number(segment)] ?? null
  }
  for (const property of node.getChildren('Property')) {
    const name = property.getChild('PropertyName')
    if (name !== null && JSON.parse(state.sliceDoc(name.from, name.to)) === segment) return property.lastChild
  }
  return null
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}
