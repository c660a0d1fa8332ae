import { stripTypeScriptTypes } from 'node:module'
import { parseAst } from 'vite'

/** One small mistake in a source: the text between two offsets is replaced. */
export interface Mutation {
  /** Relative to the root of the repository. */
  file: string
  line: number
  start: number
  end: number
  /** What was there, and what is there instead. */
  from: string
  to: string
}

interface Node {
  type: string
  start: number
  end: number
  [name: string]: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '>': '>=',
  '<=': '<',
  '>=': '>',
  '&&': '||',
  '||': '&&',
}
const OUTCOMES = ['APPLIED', 'VERIFIED', 'NOT_APPLIED', 'FAILED', 'UNKNOWN']

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/**
 * Every mutation of a TypeScript source: another operator, a condition that is always true or false, another outcome or
 * boolean, a number that is larger by one, no `await`, no `!`, and no statement of a call, an assignment, a throw or a result.
 */
export function mutationsOf(file: string, source: string): Mutation[] {
  // types become spaces, so that the offsets are those of the source
  const text = stripTypeScriptTypes(source)
  const found: Mutation[] = []
  const replace = ({ start, end }: { start: number; end: number }, to: string): void => {
    const line = source.slice(0, start).split('\n').length
    found.push({ file, line, start, end, from: source.slice(start, end), to })
  }
  const visit = (node: Node): void => {
    const [left, right, test, argument] = ['left', 'right', 'test', 'argument'].map((name) => node[name])
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const operator = String(node['operator'])
        const to = OPERATORS[operator]
        if (to === undefined || !isNode(left) || !isNode(right)) break
        const start = text.indexOf(operator, left.end)
        if (start < right.start) replace({ start, end: start + operator.length }, to)
        break
      }
      case 'IfStatement':
      case 'ConditionalExpression':
        if (isNode(test)) for (const to of ['true', 'false']) replace(test, to)
        break
      case 'Literal': {
        const { value } = node
        if (typeof value === 'boolean') replace(node, String(!value))
        if (typeof value === 'number') replace(node, String(value + 1))
        if (OUTCOMES.some((outcome) => outcome === value))
          replace(node, value === 'APPLIED' ? "'VERIFIED'" : "'APPLIED'")
        break
      }
      case 'UnaryExpression':
        if (node['operator'] === '!' && isNode(argument))
          replace({ start: node.start, end: argument.start }, '')
        break
      case 'AwaitExpression':
        if (isNode(argument)) replace({ start: node.start, end: argument.start }, '')
        break
      case 'ReturnStatement':
        if (isNode(argument)) replace(argument, 'undefined')
        break
      case 'ExpressionStatement':
      case 'ThrowStatement':
        replace(node, ';')
        break
      default:
    }
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
  }
  // the parser of Vite returns ESTree nodes
  visit(parseAst(text) as unknown as Node)
  return found
}
