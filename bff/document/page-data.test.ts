import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataBlock } from './page-data.ts'

test('no value can escape the element, and every value is read back unchanged', () => {
  const values = [
    '</script><script>alert(1)</script>',
    '<!--<script>',
    '</SCRIPT >',
    ']]>',
    '\u2028\u2029',
    '<\\u003c',
  ]
  const block = dataBlock(JSON.stringify(values))
  const content = block.slice(block.indexOf('>') + 1, block.lastIndexOf('<'))
  assert.doesNotMatch(content, /[<\u2028\u2029]/)
  assert.deepEqual(JSON.parse(content), values)
})
