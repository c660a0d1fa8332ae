import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pointerSegments } from '#contract/json-schema/pointer.ts'

/** Only the beginning of a long text is parsed before somebody needs the rest. */
const PARSE_MS = 50

/** The range in the editor's text that a JSON pointer refers to, or else the innermost one on its way. */
export function findJsonPlace(state: EditorState, pointer: string): { from: number; to: number } {
  const { node } = follow(state, pointer)
  return node === null ? { from: 0, to: state.doc.length } : { from: node.from, to: node.to }
}

/** The range of the member or item that a JSON pointer refers to, with its name; null if there is none. */
export function findJsonMember(state: EditorState, pointer: string): { from: number; to: number } | null {
  const { node, isWhole } = follow(state, pointer)
  if (node === null || !isWhole) return null
  const { from, to } = node.parent?.name === 'Property' ? node.parent : node
  return { from, to }
}

/** The innermost node on the way of a pointer, and whether it is the way's end. */
function follow(state: EditorState, pointer: string): { node: SyntaxNode | null; isWhole: boolean } {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state)
  let node = tree.topNode.firstChild
  for (const segment of pointerSegments(pointer)) {
    const next = node === null ? null : childAt(state, node, segment)
    if (next === null) return { node, isWhole: false }
    node = next
  }
  return { node, isWhole: true }
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
