import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPhrases } from './phrases.ts'

const phrases = ['told of', 'by itself']

test('finds a phrase in any case, with its line', () => {
  assert.deepEqual(findPhrases('It stops\nby itself.\nTold of it by itself', phrases), [
    { line: 2, phrase: 'by itself' },
    { line: 3, phrase: 'told of' },
    { line: 3, phrase: 'by itself' },
  ])
})

test('finds a phrase that continues on the next line', () => {
  assert.deepEqual(findPhrases('stops by\nitself', phrases), [{ line: 1, phrase: 'by itself' }])
  assert.deepEqual(findPhrases('  // stops by\n  // itself', phrases), [{ line: 1, phrase: 'by itself' }])
  assert.deepEqual(findPhrases('  /*\n   * stops by\n   * itself', phrases), [
    { line: 2, phrase: 'by itself' },
  ])
})

test('finds no parts of words, and nothing across paragraphs', () => {
  assert.deepEqual(findPhrases('retold of, told often, nearby itself, by\n\nitself', phrases), [])
})
